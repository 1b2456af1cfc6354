import type { Int64 } from "../api/client.ts";

/** The address of a page with its query. Undefined and blank parameters are left out. */
export const addressOf = (
  path: string,
  parameters: Record<string, string | number | undefined> = {},
): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && String(value).trim() !== "") query.append(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
};

/** The id in a part of an address; undefined if it is not an id. */
export const idOf = (part: string | undefined): number | undefined =>
  part && /^[1-9]\d{0,14}$/.test(part) ? Number(part) : undefined;

/** Parses an integer, exactly even beyond 2^53. Other text is returned unchanged, and the API reports the error. */
export const integerOf = (text: string): Int64 =>
  /^-?\d{1,30}$/.test(text.trim()) ? BigInt(text.trim()) : (text as unknown as Int64);

const ON_PAGE = "page";

/** The parameter of an action that is shown above an item's own page instead of the list. */
export const onPage = (parts: readonly string[]) => ({ on: parts.length > 0 ? ON_PAGE : undefined });

/** True if an action is shown above an item's own page. */
export const isOnPage = (query: Record<string, string | undefined>): boolean => query["on"] === ON_PAGE;

/** True for one of the values. */
export const isOneOf = <Value extends string>(values: readonly Value[], text: unknown): text is Value =>
  (values as readonly unknown[]).includes(text);
