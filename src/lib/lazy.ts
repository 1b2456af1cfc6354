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

/** Concurrent calls for a key share one run. */
export const shared = <Key, Value>(run: (key: Key) => Promise<Value>): ((key: Key) => Promise<Value>) => {
  const running = new Map<Key, Promise<Value>>();
  return (key) => {
    const started = running.get(key) ?? run(key).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
};
