/**
 * Makes a value when it is first used: preparing the queries of a room takes milliseconds, which a start need not wait for.
 * Its properties must be methods that do without `this`, as those of repositories do.
 */
export const lazily = <Value extends object>(make: () => Value): Value => {
  let made: Value | undefined;
  return new Proxy({} as Value, { get: (_target, name) => Reflect.get((made ??= make()), name) });
};
