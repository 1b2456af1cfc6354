/** Calls `make` at the first call, and returns the same value from then on. */
export const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
};

/**
 * Makes a value when one of its methods is first called: preparing the queries of a room takes milliseconds, which a start
 * need not wait for. It must consist of methods that do without `this`, as repositories do; one may be handed over before.
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
