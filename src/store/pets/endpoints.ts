import type { Context } from "../../data/context.ts";
import { callerId } from "../../http/authorization.ts";
import { type Endpoints, endpoints, nextPage } from "../../http/endpoint.ts";
import {
  etagOf,
  findExpected,
  jsonWithEtag,
  keyedJson,
  keyedNotModified,
  matchesEtag,
} from "../../http/etag.ts";
import { setAbsent } from "../../http/lifecycle.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath } from "../../http/schemas.ts";
import { lruCache } from "../../lib/lru.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { EventStream } from "./events/streams.ts";
import {
  CategoryStatistics,
  CategoryStatisticsQuery,
  etagOfPet,
  EventsHeaders,
  EventsQuery,
  fromChangeResults,
  fromPet,
  GetQuery,
  ListQuery,
  MAX_TAGGED,
  NewPet,
  type Part,
  Pet,
  PetChange,
  PetChangeResults,
  PetChanges,
  PetEventStream,
  Pets,
  Statistics,
  StatisticsQuery,
  toChangeRequests,
  toNewPet,
  toPetChange,
} from "./model.ts";
import type { ListPets, PetService } from "./service.ts";
import type { Pet as StoredPet } from "./pet.ts";
import { DAYS, petStatistics } from "./statistics.ts";

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

type Query = ListPets & { include?: readonly Part[] | undefined };

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
const petListCache = (
  { list }: PetService,
  { version }: Context["database"],
  toJson: ReturnType<typeof includer>,
) => {
  const pages = lruCache<string, CachedPage>({ maxEntries: MAX_PAGES, maxBytes: MAX_BYTES, version });

  const makePage = async (
    { include, ...query }: Query,
    url: string,
    current: number,
  ): Promise<CachedPage> => {
    const { items, next } = await list(query);
    const json = JSON.stringify(toJson(items, include));
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
    respond(query: Query, url: string, ifNoneMatch: string | undefined): Response | Promise<Response> {
      // Read before the rows: a page with newer rows than its version says is dropped too early, never too late.
      const current = version();
      const page = pages.get(cacheKey(url));
      if (page) return selectResponse(page, ifNoneMatch);
      return makePage(query, url, current).then((created) => selectResponse(created, ifNoneMatch));
    },
  };
};

/** The parts of animals by their ids, as a response has them; undefined for an animal without one. */
type PartsOf = Readonly<Record<Part, (petIds: readonly number[]) => (petId: number) => unknown>>;

/** The JSON forms of animals, with the parts that a request asks for. */
const includer =
  (partsOf: PartsOf) =>
  (pets: readonly StoredPet[], include: readonly Part[] = []): object[] => {
    const ids = pets.map(({ id }) => id);
    const parts = include.map((name) => [name, partsOf[name](ids)] as const);
    const withParts = (pet: StoredPet) => ({
      ...fromPet(pet),
      ...Object.fromEntries(parts.map(([name, of]) => [name, of(pet.id)])),
    });
    return pets.map(parts.length > 0 ? withParts : fromPet);
  };

const BELLA = { id: 7, name: "Bella", categoryId: 3, status: "available" };
const REX = { id: 8, name: "Rex", categoryId: 1 };

const FIRST_DAY = Date.UTC(2026, 9, 22);

const petReads = ({ add }: Endpoints, { pets, partsOf, stream }: PetParts, { database }: Context) => {
  const toJson = includer(partsOf);
  const pages = petListCache(pets, database, toJson);
  add("GET /v1/pets", {
    id: "listPets",
    stability: "stable",
    summary: "List animals",
    description:
      'Returns a page of animals in ascending order of id, unless `sort` says otherwise. If more follow, the `Link` header has the address of the next page (`rel="next"`). Use that address unchanged. With `ids`, a list of at most 50 animals has the entity tag of each in `Item-ETags`, for the header `If-Match` of a change. An animal without a status is listed, but no status filter selects it.',
    query: ListQuery,
    returns: [Pets, "The list of animals.", [BELLA, REX]],
    response: { headers: ["Link", "Next-Cursor", "ETag", "Item-ETags"] },
    conditions: ["If-None-Match"],
    run: ({ query, headers, request }) => pages.respond(query, request.url, headers["if-none-match"]),
  });
  add("GET /v1/pets/events", {
    id: "streamPets",
    summary: "Stream changes to animals",
    description:
      "Sends server-sent events: `added`, `changed` and `deleted`. Each event has an id. Its `data` is the animal after that action, or only the id of a deleted one. `changed` names the profile or the photos if one of them was changed.\n\nThe stream starts with the next change. To resume, send `Last-Event-ID`: the stream starts after that event. If later events are missing, the first event is `reset`: list the animals again. The service keeps the newest 1,000,000 events. A restored backup has none.\n\nA comment every 15 seconds keeps the connection open. A key or person can have 200 open streams, and all of them together 1,000, unless the operator sets `EVENT_STREAMS_PER_KEY` and `EVENT_STREAMS`.",
    query: EventsQuery,
    headers: EventsHeaders,
    returns: [
      PetEventStream,
      "The stream. It ends if the key expires or is revoked, and when the server stops.",
      `retry: 2000\n\nid: 1234\nevent: added\ndata: ${JSON.stringify(BELLA)}\n\n`,
    ],
    response: { textAs: "text/event-stream" },
    run: ({ query, headers, request, caller }) =>
      stream(request, callerId(caller), headers["last-event-id"] ?? query.lastEventId),
  });
  add("GET /v1/pets/:petId", {
    id: "getPet",
    stability: "stable",
    deprecated: { successor: "/v1/pets" },
    summary: "Fetch one animal",
    description:
      "Returns one animal by id. This operation is deprecated and will be removed on 5 December 2030. Use `GET /pets` with the status filter instead.",
    params: { petId: IdInPath("Id of the animal to retrieve.") },
    query: GetQuery,
    returns: [Pet, "The requested animal.", BELLA],
    response: { headers: ["ETag"] },
    conditions: ["If-None-Match"],
    run: ({ params, query, headers }) =>
      jsonWithEtag(JSON.stringify(toJson([pets.get(params.petId)], query.include)[0]), headers),
  });
};

const petWrites = ({ add }: Endpoints, pets: PetService) => {
  add("POST /v1/pets", {
    id: "createPet",
    stability: "stable",
    scope: "pets:write",
    summary: "Add an animal",
    description: "Adds an animal. It is on disk before the response is sent.",
    idempotent: true,
    body: NewPet,
    bodyExample: { name: "Bella", categoryId: 3, status: "available" },
    status: 201,
    returns: [Pet, "Animal added; the body carries the assigned id.", BELLA],
    response: {
      headers: ["ETag"],
      links: {
        getPet: {
          operationId: "getPet",
          parameters: { petId: "$response.body#/id" },
          description: "The new animal.",
        },
      },
    },
    faults: ["category_not_found"],
    run: ({ body, caller, once }) =>
      once({ status: 201, body: fromPet, headers: (pet) => ({ etag: etagOfPet(pet) }) }, (keep) =>
        pets.add(toNewPet(body), caller, keep),
      ),
  });
  add("PATCH /v1/pets/:petId", {
    id: "changePet",
    scope: "pets:write",
    summary: "Change an animal",
    description:
      "Applies a JSON merge patch (RFC 7396). Absent fields keep their value, and `null` clears the status. While an open order holds the animal, only the order can change its status. The change is on disk before the response is sent.",
    params: { petId: IdInPath("Id of the animal to update.") },
    reads: "json or merge patch",
    body: PetChange,
    bodyExample: { status: "sold" },
    returns: [Pet, "The changed animal.", { ...BELLA, status: "sold" }],
    response: { headers: ["ETag"] },
    conditions: ["If-Match"],
    faults: ["category_not_found", "pet_in_order", "precondition_failed"],
    run: async ({ params: { petId }, body, headers, caller, set }) => {
      const expected = await findExpected(headers, () => pets.get(petId), etagOfPet);
      const pet = await pets.change(petId, toPetChange(body), caller, expected);
      set.headers["etag"] = etagOfPet(pet);
      return fromPet(pet);
    },
  });
  add("POST /v1/pets/changes", {
    id: "changePets",
    scope: "pets:write",
    summary: "Change many animals",
    description:
      "Makes up to 100 changes in one transaction. Each succeeds or fails on its own, as with `PATCH /pets/{petId}`, and has a result: the changed animal with its new entity tag, or the error. The response is 200 even if changes were refused. The changes are on disk before the response is sent.",
    idempotent: true,
    body: PetChanges,
    bodyExample: {
      changes: [
        { id: 7, ifMatch: '"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"', change: { status: "sold" } },
        { id: 9, change: { categoryId: 3 } },
      ],
    },
    returns: [
      PetChangeResults,
      "A result for each change.",
      [
        { id: 7, pet: { ...BELLA, status: "sold" }, etag: '"wM3nTq8cLr0vZs6aXy1bGd5eFh2"' },
        { id: 9, error: { code: "not_found", message: "There is no animal with this id.", status: 404 } },
      ],
    ],
    run: ({ body, caller, once }) =>
      once({ status: 200, body: fromChangeResults }, (keep) =>
        pets.changeMany(toChangeRequests(body), caller, keep),
      ),
  });
  add("DELETE /v1/pets/:petId", {
    id: "deletePet",
    scope: "pets:write",
    summary: "Delete an animal",
    description:
      "Deletes an animal. The deletion is on disk before the response is sent, and the id is never used again. An animal that an open order holds can't be deleted.",
    params: { petId: IdInPath("Id of the animal to delete.") },
    returns: "The animal is deleted.",
    conditions: ["If-Match"],
    faults: ["pet_in_order", "precondition_failed"],
    run: async ({ params: { petId }, headers, caller }) =>
      pets.remove(petId, caller, await findExpected(headers, () => pets.get(petId), etagOfPet)),
  });
};

const statisticsReads = ({ add, list }: Endpoints, { counts }: PetService, { database, clock }: Context) => {
  const statistics = petStatistics({ counts, version: database.version, clock });
  list("GET /v1/statistics/categories", {
    id: "getCategoryStatistics",
    summary: "Count the animals of each category",
    description:
      "Returns a page of categories with the number of their animals, after every acknowledged write. Categories without animals are listed too. Animals whose category has no record are not: count them with `GET /statistics?categoryId=`.",
    query: CategoryStatisticsQuery,
    returns: [
      CategoryStatistics,
      "The categories and their counts.",
      [{ id: 3, name: "Dogs", total: 12, byStatus: { available: 8, pending: 1, sold: 3, none: 0 } }],
    ],
    run: async ({ query }) => statistics.ofCategories(query),
  });
  add("GET /v1/statistics", {
    id: "getStatistics",
    summary: "Count the animals",
    description:
      "Counts animals by status and by the day they were added, after every acknowledged write. `q` and `categoryId` select the animals of `total` and `byStatus`. `addedByDay` always counts all animals.",
    query: StatisticsQuery,
    returns: [
      Statistics,
      "The counts.",
      {
        total: 1234,
        byStatus: { available: 800, pending: 30, sold: 400, none: 4 },
        addedByDay: Array.from({ length: DAYS }, (_, index) => ({
          date: new Date(FIRST_DAY + index * DAY_MS).toISOString().slice(0, 10),
          count: (index * 5) % 7,
        })),
      },
    ],
    run: ({ query }) => statistics.read(query),
  });
};

interface PetParts {
  pets: PetService;
  partsOf: PartsOf;
  stream: EventStream;
}

/** Animals and their statistics, under `/v1`. */
export const petEndpoints = (context: Context, macros: Macros, parts: PetParts) => {
  const { pets } = parts;
  const room = endpoints({ macros, tag: "animals", scope: "pets:read" });
  petReads(room, parts, context);
  petWrites(room, pets);
  statisticsReads(room, pets, context);
  return room.app;
};
