/** Calls `make` on the first call, and returns the same value from then on. */
export const once = <Value>(make: () => Value): (() => Value) => {
  let cached: { value: Value } | undefined;
  return () => (cached ??= { value: make() }).value;
};

/** `once` for each key. */
export const oncePer = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const values = new Map<Key, () => Value>();
  return (key) => {
    const value = values.get(key) ?? once(() => make(key));
    values.set(key, value);
    return value();
  };
};

/**
 * Makes a value when one of its methods is first called: preparing the queries of a repository takes milliseconds of the start.
 * All members must be functions that do not use `this`. They can be passed on before the value exists.
 */
export const lazy = <Value extends Record<keyof Value, (...args: never[]) => unknown>>(
  make: () => Value,
): Value => {
  let value: Value | undefined;
  const method =
    (name: string | symbol) =>
    (...args: never[]): unknown =>
      (value ??= make())[name as keyof Value](...args);
  return new Proxy({} as Value, {
    get: (_target, name) => (value ? Reflect.get(value, name) : method(name)),
  });
};
