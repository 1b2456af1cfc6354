/** A response of the console that no cache keeps. */
export const respond = (
  status: number,
  state: object | undefined,
  headers: Record<string, string> = {},
): Response =>
  new Response(state && JSON.stringify(state), {
    status,
    headers: {
      ...(state && { "content-type": "application/json" }),
      "cache-control": "no-store",
      ...headers,
    },
  });
