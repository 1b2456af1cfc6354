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
const MAX_DEEP_SEARCH_RATIO = 1.5;

/** A hundred animals. */
const idsFrom = (first: number): number[] => Array.from({ length: 100 }, (_, index) => first + 9 * index);

interface Row {
  name: string;
  many: boolean;
  place: Place;
  /** The row that it costs a multiple of. */
  base: string;
  /** What it may cost at most, as a multiple. */
  most?: number;
}

const FEW_PAGES = "1,000 animals";
const FEW_IDS = "1,000 animals, `ids` of 100";
const FEW_IDS_FOUND = "1,000 animals, `ids` of 100 with `q=bella`";

const few = (name: string, place: Place, base = FEW_PAGES): Row => ({ name, many: false, place, base });

const many = (name: string, place: Place, base = FEW_PAGES, most = MAX_RATIO): Row => ({
  name: `1,000,000 animals, ${name}`,
  many: true,
  place,
  base,
  most,
});

const ROWS: readonly Row[] = [
  few(FEW_PAGES, { after: 0 }),
  // Separates the cost of a longer query from that of a larger table.
  few("1,000 animals, `status=sold` with a cursor", { after: 1, status: "sold" }),
  many("first", { after: 0 }),
  many("deep", { after: DEEP }),
  many("deep, `status=sold`", { after: DEEP, status: "sold" }),
  many("first, `categoryId=7`", { after: 0, categoryId: 7n }),
  many("deep, `categoryId=7`", { after: DEEP, categoryId: 7n }),
  many("first, `q=bella`", { after: 0, q: "bella" }),
  many("deep, `q=bella`", { after: DEEP, q: "bella" }, FEW_PAGES, MAX_DEEP_SEARCH_RATIO),
  few(FEW_IDS, { after: 0, ids: idsFrom(1) }, FEW_IDS),
  many("deep, `ids` of 100", { after: DEEP, ids: idsFrom(DEEP) }, FEW_IDS),
  few(FEW_IDS_FOUND, { after: 0, ids: idsFrom(1), q: "bella" }, FEW_IDS_FOUND),
  many("deep, `ids` of 100 with `q=bella`", { after: DEEP, ids: idsFrom(DEEP), q: "bella" }, FEW_IDS_FOUND),
];

const rowsOf = (results: Results, form: string): string[][] =>
  ROWS.map(({ name, base, most }) => {
    const growth = ratioOf(results, name, base, "cpu");
    return [
      `${name}, ${form}`,
      perCore(medianOf(results, name, "cpu")),
      whole(medianOf(results, name, "rate")),
      milliseconds(medianOf(results, name, "p99")),
      microseconds(medianOf(results, name, "cpu")),
      ratio(growth),
      most === undefined ? "" : atMost(growth, most, ""),
    ];
  });

const pagesOfAMillion = async (bench: Bench): Promise<string> => {
  const [small, big] = [bench.databases.make("few", FEW), bench.databases.make("many", MANY)];
  const servers = [await serve(bench, small), await serve(bench, big)] as const;
  const rows = await withServers(servers, async ([fewServer, manyServer]) => {
    const run = (loadOf: (place: Place, name: string) => Load) =>
      contest(
        ROWS.map(({ name, many: isMany, place }): Contestant => ({
          name,
          server: isMany ? manyServer : fewServer,
          load: loadOf(place, name),
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
    "The server caches one page that clients request again and again. Changing pages, of 16 to 24 animals, come from the database; those with `ids` have fewer animals near their end. A search (`q=bella`) finds every animal. The rows with `ids` are compared with the same `ids` of 1,000 animals.",
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
