/** The address of a page with what is chosen there; what is undefined is left out. */
export const addressOf = (path: string, chosen: Record<string, string | number | undefined> = {}): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(chosen))
    if (value !== undefined) query.append(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
};
