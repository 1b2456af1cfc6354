import { matchesEtag, etagOf, keyedJson, keyedNotModified } from "../http/etag.ts";
import { nextPage, setAbsent } from "../http/headers.ts";
import { lruCache } from "../lib/lru.ts";
import { MAX_TAGGED, etagOfPet, fromPet } from "./model.ts";
import type { ListPets, PetService } from "./service.ts";

const MAX_PAGES = 1000;
/** Of all bodies together. */
const MAX_BYTES = 8 * 2 ** 20;

/**
 * Different queries have different keys: no field before the cursor contains a space (`q` is percent-encoded), and the
 * cursor, which may be any text, comes last.
 */
const cacheKey = ({ limit, status, categoryId, q, ids, sort, cursor }: ListPets): string => {
  const plain = `${limit} ${status ?? ""} ${cursor ?? ""}`;
  if (categoryId === undefined && q === undefined && ids === undefined && sort === "id") return plain;
  return `${sort} ${categoryId ?? ""} ${ids?.join() ?? ""} ${encodeURIComponent(q ?? "")} ${plain}`;
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

  const makePage = async (query: ListPets, key: string, current: number): Promise<CachedPage> => {
    const { items, next } = await list(query);
    const { limit, status, categoryId, q, ids, sort } = query;
    const json = JSON.stringify(items.map(fromPet));
    const parameters = {
      limit,
      status,
      categoryId: categoryId?.toString(),
      q,
      ids: ids?.join(),
      sort: sort === "id" ? undefined : sort,
    };
    const links = nextPage("/v1/pets", parameters, next);
    // The ETag covers the link: a last page may gain a next page while its animals stay the same.
    const etag = etagOf(`${links["link"] ?? ""}${json}`);
    // Clones of a response share the bytes of a Blob.
    const body = new Blob([json], { type: "application/json" });
    const response = keyedJson(body, etag);
    setAbsent(response.headers, links);
    if (hasTags(ids, items.length)) response.headers.set("item-etags", items.map(etagOfPet).join(", "));
    const page: CachedPage = { etag, response };
    if (current === version()) pages.set(key, page, body.size);
    return page;
  };

  return {
    /** The response to a list query; 304 if `ifNoneMatch` names its ETag. */
    respond(query: ListPets, ifNoneMatch: string | undefined): Response | Promise<Response> {
      // Read before the rows: a page with newer rows than its version says is dropped too early, never too late.
      const current = version();
      const key = cacheKey(query);
      const page = pages.get(key);
      if (page) return selectResponse(page, ifNoneMatch);
      return makePage(query, key, current).then((created) => selectResponse(created, ifNoneMatch));
    },
  };
};

export type PetListCache = ReturnType<typeof petListCache>;
