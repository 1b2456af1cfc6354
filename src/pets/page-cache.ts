import { KEYED, STANDING, nextPage } from "../http/headers.ts";
import { matchesEtag, etagOf, notModified } from "../http/etag.ts";
import { fromPet } from "./model.ts";
import type { ListPets, PetService } from "./service.ts";

/** Most pages and most bytes of bodies that are kept. */
const MAX_PAGES = 1000;
const MAX_BYTES = 8 * 2 ** 20;

/** The same for the same query only: the cursor, which may be any text, comes last, behind a number or what no number begins with. */
const nameOf = ({ limit, status, categoryId, q, ids, cursor }: ListPets): string => {
  const plain = `${limit} ${status ?? ""} ${cursor ?? ""}`;
  if (categoryId === undefined && q === undefined && ids === undefined) return plain;
  return `filtered ${categoryId ?? ""} ${ids?.join() ?? ""} ${encodeURIComponent(q ?? "")} ${plain}`;
};

/** A whole answer, its tag, and the answer to who knows it. */
interface KeptPage {
  answer: Response;
  tag: string;
  known: Response;
}

/** The answer to who knows the pages of these tags: the page itself, or 304. */
const replyOf = ({ answer, tag, known }: KeptPage, tags: string | undefined): Response =>
  (tags !== undefined && matchesEtag(tags, tag) ? known : answer).clone() as Response;

export interface PetListCache {
  /**
   * The answer to a list query, never older than the last acknowledged write.
   * @param known its If-None-Match: 304 if that names the page
   */
  respond(query: ListPets, known: string | undefined): Response | Promise<Response>;
}

/**
 * Keeps whole answers, ready to be cloned: building one costs four times what cloning does. All are dropped when
 * `version` changes, as it does with every write, so that nobody is ever shown an old page.
 */
export const petListCache = ({
  list,
  version,
}: {
  list: PetService["list"];
  version: () => number;
}): PetListCache => {
  const pages = new Map<string, KeptPage>();
  let bytes = 0;
  let keptVersion = -1;

  const dropAll = () => {
    pages.clear();
    bytes = 0;
  };

  const keep = (name: string, page: KeptPage, size: number) => {
    if (pages.size >= MAX_PAGES || bytes + size > MAX_BYTES) dropAll();
    pages.set(name, page);
    bytes += size;
  };

  const make = async (query: ListPets, name: string, current: number): Promise<KeptPage> => {
    const { items, next } = await list(query);
    const { limit, status, categoryId, q, ids } = query;
    const json = JSON.stringify(items.map(fromPet));
    const filter = { limit, status, categoryId: categoryId?.toString(), q, ids: ids?.join() };
    const following = nextPage("/v1/pets", filter, next);
    // A last page may become one that more follow, and stay the same in all else.
    const tag = etagOf(`${following["link"] ?? ""}${json}`);
    // A Blob's bytes are shared by the clones of a response.
    const body = new Blob([json], { type: "application/json" });
    const headers = new Headers({
      "content-type": "application/json",
      etag: tag,
      ...following,
      ...STANDING,
      ...KEYED,
    });
    const known = notModified({ etag: tag, ...STANDING, ...KEYED });
    const page = { answer: new Response(body, { headers }), tag, known };
    if (current === version()) keep(name, page, body.size);
    return page;
  };

  return {
    respond(query, known) {
      // Asked before the rows are read: a page made of newer rows than its version says is dropped sooner, not later.
      const current = version();
      if (current !== keptVersion) dropAll();
      keptVersion = current;
      const name = nameOf(query);
      const kept = pages.get(name);
      if (kept) return replyOf(kept, known);
      return make(query, name, current).then((page) => replyOf(page, known));
    },
  };
};
