/** Sent with every answer. */
export const STANDING = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** Sent with every answer that a key opened. */
export const KEYED = {
  "cache-control": "private, no-cache",
  vary: "Authorization",
} as const;

export const BETA = { "x-stability": "beta" } as const;

/** The headers that name the next page: its address (RFC 8288) and its cursor. None on the last page. */
export const nextPage = (
  path: string,
  query: Record<string, string | number | undefined>,
  cursor: string | undefined,
): Record<string, string> => {
  if (cursor === undefined) return {};
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const next = new URLSearchParams([...given, ["cursor", cursor]] as [string, string][]);
  return { link: `<${path}?${next}>; rel="next"`, "next-cursor": cursor };
};

const ACCEPTED_ID = /^[\w\-.:]{1,128}$/;

/** The client's own request id if it is fit for a log, else a new one. */
export const requestIdOf = (sent: string | null | undefined): string =>
  typeof sent === "string" && ACCEPTED_ID.test(sent) ? sent : crypto.randomUUID();

/** Adds the headers of `extra` that an answer does not have yet. */
const complete = (headers: Headers, extra: Readonly<Record<string, string>>): void => {
  for (const name in extra) if (!headers.has(name)) headers.set(name, extra[name] as string);
};

/** Adds what every answer carries; one that has the first of it was built whole, and is left alone. */
export const completeHeaders = (headers: Headers, keyed: boolean): void => {
  if (headers.has("x-content-type-options")) return;
  complete(headers, STANDING);
  if (keyed) complete(headers, KEYED);
};
