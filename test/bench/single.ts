import type { Bench } from "./bench.ts";
import { type Contestant, contest, ratioOf } from "./contest.ts";
import { FIGURES, figuresOf } from "./figures.ts";
import { Refused } from "./options.ts";
import type { Server } from "./processes.ts";
import { atMost, ratio, section, whole } from "./table.ts";
import { writeList } from "./wrk.ts";

const PAGE = "/v1/pets?limit=20";
const ANIMAL = "/v1/pets/7";

const CACHED_PAGE = "a page of 20, the same again and again";
const ANIMALS = "single animals";
const KNOWN_PAGE = "304 of the page";
const ONE_ANIMAL = "one animal, again and again";
const KNOWN_ANIMAL = "304 of the animal";

/** What each row is compared with, and its target. */
const ROWS: readonly (readonly [name: string, base: string, most?: number])[] = [
  [CACHED_PAGE, CACHED_PAGE],
  [ANIMALS, CACHED_PAGE, 1.3],
  [KNOWN_PAGE, CACHED_PAGE, 1],
  [ONE_ANIMAL, CACHED_PAGE],
  [KNOWN_ANIMAL, ONE_ANIMAL, 1],
];

const etagOf = async ({ url }: Server, path: string, key: string): Promise<string> => {
  const { headers } = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  const etag = headers.get("etag");
  if (etag === null) throw new Refused(`${url}${path} has no ETag`);
  return etag;
};

/** Prime, so that the walk leaps about and passes every animal before it repeats one. */
const STRIDE = 7919;

const idsOf = (animals: number): number[] =>
  Array.from({ length: animals }, (_, step) => 1 + ((step * STRIDE) % animals));

/** Single animals, and responses to clients that have the current one, compared with a page that the server caches. */
export const single = async (
  { directory, pace }: Bench,
  server: Server,
  key: string,
  animals: number,
): Promise<string> => {
  // All are driven by lists, because a driver that reads them leaves the server more often without a request.
  const by = (name: string, paths: readonly string[], ifNoneMatch?: string): Contestant => {
    const lines = paths.map((path) => `GET ${path}`);
    const file = writeList(directory, name.replaceAll(/\W+/g, "-"), lines);
    const expected = ifNoneMatch === undefined ? 200 : 304;
    return { name, server, load: { key, file, expected, ...(ifNoneMatch && { ifNoneMatch }) } };
  };
  const results = await contest(
    [
      by(CACHED_PAGE, [PAGE]),
      by(
        ANIMALS,
        idsOf(animals).map((id) => `/v1/pets/${id}`),
      ),
      by(KNOWN_PAGE, [PAGE], await etagOf(server, PAGE, key)),
      by(ONE_ANIMAL, [ANIMAL]),
      by(KNOWN_ANIMAL, [ANIMAL], await etagOf(server, ANIMAL, key)),
    ],
    pace,
  );
  const rows = ROWS.map(([name, base, most]) => {
    const cpu = ratioOf(results, name, base, "cpu");
    const target = most === undefined ? "" : atMost(cpu, most, "");
    return [...figuresOf(results, name), `${ratio(cpu)} times ${base === name ? "itself" : base}`, target];
  });
  return section(
    `Reading: single animals of ${whole(animals)}, and revalidation`,
    "The bench requests every animal once before it repeats one. A 304 confirms that the client's copy is current.",
    [["requests", ...FIGURES.slice(1), "CPU", "target (CPU)"], ...rows],
  );
};
