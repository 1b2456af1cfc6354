import { matchesEtag, etagOf, keyedJson, keyedNotModified } from "../../http/etag.ts";
import { nextPage, setAbsent } from "../../http/headers.ts";
import { lruCache } from "../../lib/lru.ts";
import { ListQuery, MAX_TAGGED, etagOfPet, fromPet } from "./model.ts";
import type { ListPets, PetService } from "./service.ts";

const MAX_PAGES = 1000;
/** Of all bodies together. */
const MAX_BYTES = 8 * 2 ** 20;

/** The parameters of a list request: requests with the same text have the same response. */
const cacheKey = (url: string): string => {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
};

/** More tags would not fit the 4 KB that proxies keep for the headers of a response. */
const hasTags = (ids: readonly number[] | undefined, count: number): boolean =>
  ids !== undefined && count > 0 && count <= MAX_TAGGED;

interface CachedPage {
  etag: string;
  response: Response;
  /** Made for the first client that has the page. */
  notModified?: Response;
}

const selectResponse = (page: CachedPage, ifNoneMatch: string | undefined): Response => {
  const isKnown = ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, page.etag);
  if (isKnown) page.notModified ??= keyedNotModified(page.etag);
  return ((isKnown && page.notModified) || page.response).clone() as Response;
};

/**
 * Caches the responses of `GET /v1/pets`: building one costs four times as much as cloning it. Every write changes `version`,
 * and a new version empties the cache, so no response is older than the last acknowledged write.
 */
export const petListCache = ({ list, version }: { list: PetService["list"]; version: () => number }) => {
  const pages = lruCache<string, CachedPage>({ maxEntries: MAX_PAGES, maxBytes: MAX_BYTES, version });

  const makePage = async (query: ListPets, url: string, current: number): Promise<CachedPage> => {
    const { items, next } = await list(query);
    const json = JSON.stringify(items.map(fromPet));
    const links = nextPage(url, ListQuery, next);
    // The ETag covers the link: a last page may gain a next page while its animals stay the same.
    const etag = etagOf(`${links["link"] ?? ""}${json}`);
    // Clones of a response share the bytes of a Blob.
    const body = new Blob([json], { type: "application/json" });
    const response = keyedJson(body, etag);
    setAbsent(response.headers, links);
    if (hasTags(query.ids, items.length)) response.headers.set("item-etags", items.map(etagOfPet).join(", "));
    const page: CachedPage = { etag, response };
    if (current === version()) pages.set(cacheKey(url), page, body.size);
    return page;
  };

  return {
    /** The response to a list query; 304 if `ifNoneMatch` names its ETag. @param url whose parameters `query` has */
    respond(query: ListPets, url: string, ifNoneMatch: string | undefined): Response | Promise<Response> {
      // Read before the rows: a page with newer rows than its version says is dropped too early, never too late.
      const current = version();
      const page = pages.get(cacheKey(url));
      if (page) return selectResponse(page, ifNoneMatch);
      return makePage(query, url, current).then((created) => selectResponse(created, ifNoneMatch));
    },
  };
};

export type PetListCache = ReturnType<typeof petListCache>;
