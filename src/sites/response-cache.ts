import { lruCache } from "../lib/lru.ts";

/** What a cached response takes beside its body and the site's own headers. */
const RESPONSE_OVERHEAD = 1024;

/** Whole responses, ready to be cloned. All sites share one cache. */
export const responseCache = (maxBytes: number) => {
  const responses = lruCache<string, Response>({ maxEntries: Infinity, maxBytes });
  return {
    get: responses.get,
    /** @param bytes of the body, and of the site's own headers */
    set: (key: string, response: Response, bytes: number) =>
      responses.set(key, response, bytes + RESPONSE_OVERHEAD + 2 * key.length),
  };
};
export type ResponseCache = ReturnType<typeof responseCache>;
