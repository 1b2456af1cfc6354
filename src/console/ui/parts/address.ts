/** The address of a page with its query. Undefined parameters are left out. */
export const addressOf = (
  path: string,
  parameters: Record<string, string | number | undefined> = {},
): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.append(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
};
