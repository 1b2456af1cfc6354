import { expect, test } from "bun:test";
import { join } from "node:path";
import { once } from "../../../src/lib/lazy.ts";
import { type PlannedStatement, PAGE, pageOf } from "./statements.ts";

/** Another process loads the modules: here, other tests may have loaded some of them before. */
const statements = once(async (): Promise<PlannedStatement[]> => {
  const program = Bun.spawn([process.execPath, join(import.meta.dir, "statements.ts"), "--json"]);
  const text = await program.stdout.text();
  expect(await program.exited).toBe(0);
  return JSON.parse(text) as PlannedStatement[];
});

/** Tables and results that do not grow with use, by the name that the plan shows. Reading all of one is cheap. */
const SMALL: Record<string, string> = {
  "CONSTANT ROW": "one row",
  pets_indexed: "one row",
  sealing_keys: "one row",
  sqlite_sequence: "a row for each table",
  json_each: "the values of the statement",
  named: "the values of the statement",
  scope: "the scopes of one key",
  pets_words: "FTS5 calls its lookups scans",
  orders_words: "FTS5 calls its lookups scans",
  people: "a store has few",
  admin_key: "keys",
  administrator: "people",
  manager: "keys and people",
  other: "keys and people",
  categories: "a store has few",
  pet_fields: "a store has at most 40",
  imports: "a row for each file",
  notices: "the current problems",
  pet_counts_by_day: "a row a day",
  acme_attempts: "the attempts of the longest limit's window, a week",
  subquery: "the rows of a query that has its own steps",
  turns: "the rows of a query that has its own steps",
};

/** The scans of growing tables: the table, a part of the statement that no other has, and why it may read all rows. */
const SCANS: [table: string, statement: string, reason: string][] = [
  ["audit_entries", "audit_entries.at AS at FROM audit_entries ORDER BY", "stops at its limit"],
  ["pet_search", "WHERE pet_search.of_name IS NULL", "from an index that has only these rows"],
  ["answers", "FROM answers ORDER BY answers.id LIMIT 500", "stops at its limit"],
  ["audit_entries", "ifnull((SELECT audit_entries.at", "stops at its limit"],
  ["answers", "ifnull((SELECT audit_entries.at", "stops at its limit"],
  ["orders", "ifnull((SELECT audit_entries.at", "stops at its limit"],
  ["pets", "SELECT count(*) AS count FROM pets", "the total of an export, from an index"],
  ["orders", "SELECT DISTINCT lower(orders.adopter_email)", "an erasure, from an index"],
  ["answers", "DELETE FROM answers\nWHERE NOT EXISTS", "an erasure must look into every response"],
  [
    "browser_states",
    "SELECT browser_states.hash\nFROM browser_states\nWHERE browser_states.until",
    "a sweep",
  ],
  ["deploys", "SELECT DISTINCT deploys.manifest", "a sweep of files needs every manifest"],
  ["projects", "SELECT DISTINCT deploys.manifest", "a sweep of files needs every served manifest"],
  [
    "projects",
    "SELECT projects.slug || '.' || ?1 AS hostname",
    "a poller looks for sites without a certificate",
  ],
  [
    "domains",
    "domains.stage IN ('verified', 'issuing', 'issue_failed', 'live')\nAND NOT EXISTS",
    "the same poller",
  ],
  ["domains", "|| domains.hostname) AS key", "the list of domains is in the order of their state"],
  [
    "domains",
    "SELECT domains.id AS id, domains.hostname AS hostname\nFROM domains",
    "a search compares in JavaScript",
  ],
  ["domains", "domains.failing_since AS failingSince, projects.slug AS project", "problems for `doctor`"],
  ["domains", "min(projects.slug) AS project", "a poller looks for problems"],
  ["certificates", "ORDER BY certificates.not_after", "the metrics show every certificate"],
  ["certificates", "SET revision = revision + 1, next_at = ?1\nWHERE json_extract", "once, at a start"],
  ["certificates", "SELECT certificates.hostname AS hostname, (", "a poller looks for problems"],
];

const tableOf = (step: string): string | undefined =>
  /^SCAN (CONSTANT ROW|\S+)/.exec(step)?.[1]?.replace(/^\(.*\)$/, "subquery");

test("the page of statements lists every statement with its plan: `bun run statements` writes it", async () => {
  const planned = await statements();
  expect(planned.length).toBeGreaterThan(250);
  expect(pageOf(planned)).toBe(await Bun.file(PAGE).text());
});

test("no statement reads all rows of a growing table without a reason", async () => {
  const scans = (await statements()).flatMap(({ text, plan }) =>
    plan.map(tableOf).flatMap((table) => (table === undefined || table in SMALL ? [] : [{ table, text }])),
  );
  const isOf =
    ({ table, text }: (typeof scans)[number]) =>
    ([listed, part]: (typeof SCANS)[number]) =>
      listed === table && text.includes(part);
  expect(scans.filter((scan) => !SCANS.some(isOf(scan)))).toEqual([]);
  expect(SCANS.filter((listed) => !scans.some((scan) => isOf(scan)(listed)))).toEqual([]);
});

test("every small table is read by a statement", async () => {
  const read = new Set((await statements()).flatMap(({ plan }) => plan.map(tableOf)));
  expect(Object.keys(SMALL).filter((table) => !read.has(table))).toEqual([]);
});
