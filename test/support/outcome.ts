/**
 * Waits for a promise. @returns a function that returns its value, or throws its reason: `expect(await outcomeOf(promise)).toThrow("...")`.
 * The linter refuses `expect(promise).rejects`: Bun waits inside the matcher, which can stop the whole process for good
 * (oven-sh/bun#14950).
 */
export const outcomeOf = <Value>(promise: Promise<Value>): Promise<() => Value> =>
  promise.then(
    (value) => () => value,
    (reason: unknown) => () => {
      throw reason;
    },
  );
