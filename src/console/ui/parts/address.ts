/** The address of a page with what is chosen there; what is undefined is left out. */
export const addressOf = (path: string, chosen: Record<string, string | number | undefined> = {}): string => {
  const pairs = Object.entries(chosen).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
};
