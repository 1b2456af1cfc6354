import { KEYED, STANDING, nextLink } from "../http/headers.ts";
import { fromPet } from "./model.ts";
import type { ListPets, PetService } from "./service.ts";

/** Most pages and most bytes of bodies that are kept. */
const MOST_PAGES = 1000;
const MOST_BYTES = 8 * 2 ** 20;

const copyOf = (answer: Response): Response => answer.clone() as Response;

export interface PetPages {
  /** The answer to a list query, never older than the last acknowledged write. */
  answer(query: ListPets): Response | Promise<Response>;
}

/**
 * Keeps whole answers, ready to be cloned: building one costs four times what cloning does. All are dropped when
 * `version` changes, as it does with every write, so that nobody is ever shown an old page.
 */
export const petPages = ({
  list,
  version,
}: {
  list: PetService["list"];
  version: () => number;
}): PetPages => {
  const pages = new Map<string, Response>();
  let bytes = 0;
  let keptVersion = -1;

  const dropAll = () => {
    pages.clear();
    bytes = 0;
  };

  const keep = (name: string, answer: Response, size: number) => {
    if (pages.size >= MOST_PAGES || bytes + size > MOST_BYTES) dropAll();
    pages.set(name, answer);
    bytes += size;
  };

  const make = async (query: ListPets, name: string, current: number): Promise<Response> => {
    const { items, next } = await list(query);
    const { limit, status } = query;
    // A Blob's bytes are shared by the clones of a response.
    const body = new Blob([JSON.stringify(items.map(fromPet))], { type: "application/json" });
    const headers = new Headers({ "content-type": "application/json", ...STANDING, ...KEYED });
    if (next) headers.set("link", nextLink("/v1/pets", { limit, status }, next));
    const answer = new Response(body, { headers });
    if (current === version()) keep(name, answer, body.size);
    return copyOf(answer);
  };

  return {
    answer(query) {
      // Asked before the rows are read: a page made of newer rows than its version says is dropped sooner, not later.
      const current = version();
      if (current !== keptVersion) dropAll();
      keptVersion = current;
      const name = `${query.limit} ${query.status ?? ""} ${query.cursor ?? ""}`;
      const kept = pages.get(name);
      return kept ? copyOf(kept) : make(query, name, current);
    },
  };
};
