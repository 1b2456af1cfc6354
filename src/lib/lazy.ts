/** Calls `make` at the first call, and returns the same value from then on. */
export const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
};

/**
 * Makes a value when one of its methods is first called: preparing the queries of a repository takes milliseconds, which a
 * start need not wait for. All members must be functions that do not use `this`. They can be passed on before the value exists.
 */
export const lazy = <Value extends Record<keyof Value, (...given: never[]) => unknown>>(
  make: () => Value,
): Value => {
  let made: Value | undefined;
  const method =
    (name: string | symbol) =>
    (...given: never[]): unknown =>
      (made ??= make())[name as keyof Value](...given);
  return new Proxy({} as Value, { get: (_target, name) => (made ? Reflect.get(made, name) : method(name)) });
};
