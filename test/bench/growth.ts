import { type Bench, serve, withServers } from "./bench.ts";
import { type Contestant, type Results, contest, medianOf, ratioOf } from "./contest.ts";
import { type Place, path, walk } from "./pages.ts";
import { tenMillion } from "./ten-million.ts";
import { atMost, microseconds, milliseconds, perCore, ratio, section, whole } from "./table.ts";
import { type Load, writeList } from "./wrk.ts";

const FEW = 1000;
const MANY = 1_000_000;
const DEEP = 900_000;
const MAX_RATIO = 1.2;

/** Enough for a page behind each cursor of a walk. */
const IDS = Array.from({ length: 100 }, (_, at) => DEEP + 13 * at);

const PLACES: readonly (Place & { name: string; many: boolean })[] = [
  { name: "1,000 animals", many: false, after: 0 },
  // Tells what a longer query costs from what a larger table costs.
  { name: "1,000 animals, `status=sold` with a cursor", many: false, after: 1, status: "sold" },
  { name: "1,000,000 animals, first", many: true, after: 0 },
  { name: "1,000,000 animals, deep", many: true, after: DEEP },
  { name: "1,000,000 animals, deep, `status=sold`", many: true, after: DEEP, status: "sold" },
  { name: "1,000,000 animals, first, `categoryId=7`", many: true, after: 0, categoryId: 7n },
  { name: "1,000,000 animals, deep, `categoryId=7`", many: true, after: DEEP, categoryId: 7n },
  { name: "1,000,000 animals, deep, `ids` of 100", many: true, after: DEEP, ids: IDS },
  {
    name: "1,000,000 animals, deep, `ids` of 100 with `q=bella`",
    many: true,
    after: DEEP,
    ids: IDS,
    q: "bella",
  },
  { name: "1,000,000 animals, first, `q=bella`", many: true, after: 0, q: "bella" },
  { name: "1,000,000 animals, deep, `q=bella`", many: true, after: DEEP, q: "bella" },
];

const BASE = PLACES[0]?.name ?? "";

const rowsOf = (results: Results, form: string): string[][] =>
  PLACES.map(({ name, many }) => {
    const growth = ratioOf(results, name, BASE, "cpu");
    return [
      `${name}, ${form}`,
      perCore(medianOf(results, name, "cpu")),
      whole(medianOf(results, name, "rate")),
      milliseconds(medianOf(results, name, "p99")),
      microseconds(medianOf(results, name, "cpu")),
      ratio(growth),
      many ? atMost(growth, MAX_RATIO, "") : "",
    ];
  });

const pagesOfAMillion = async (bench: Bench): Promise<string> => {
  const [small, big] = [bench.databases.make("few", FEW), bench.databases.make("many", MANY)];
  const servers = [await serve(bench, small), await serve(bench, big)] as const;
  const rows = await withServers(servers, async ([few, many]) => {
    const run = (loadOf: (place: Place, name: string) => Load) =>
      contest(
        PLACES.map((place): Contestant => ({
          name: place.name,
          server: place.many ? many : few,
          load: loadOf(place, place.name),
        })),
        bench.pace,
      );
    const kept = await run((place) => ({ key: small.key, path: path(20, place) }));
    const fresh = await run((place, name) => ({
      key: small.key,
      file: writeList(bench.directory, name.replaceAll(/\W+/g, "-"), walk(place)),
    }));
    return [...rowsOf(kept, "one page again and again"), ...rowsOf(fresh, "changing pages")];
  });
  return section(
    "Growth: pages of 1,000 and of 1,000,000 animals",
    "The server caches one page that clients request again and again. Changing pages, of 16 to 24 animals, come from the database. A search (`q=bella`) finds every one of the million animals there.",
    [
      [
        "pages",
        "requests/s per core",
        "requests/s",
        "p99",
        "CPU µs a request",
        "times 1,000 animals",
        "target (CPU)",
      ],
      ...rows,
    ],
  );
};

/** Pages of more and more animals, and what else ten million cost. */
export const growth = async (bench: Bench): Promise<string> =>
  [await pagesOfAMillion(bench), ...(bench.quick ? [] : [await tenMillion(bench)])].join("\n");
