import { Database } from "bun:sqlite";
import { type Bench, serve, withServers } from "./bench.ts";
import { contest, ratioOf } from "./contest.ts";
import { FIGURES, figuresOf } from "./figures.ts";
import { Refused } from "./options.ts";
import { CREATE, POCKETBASE, startPocketBase } from "./pocketbase.ts";
import { atLeast, atMost, ratio, section } from "./table.ts";
import { writeList } from "./wrk.ts";

const GROUPED = "adoption-store";
const BARE = "the same without triggers and secondary indexes";
const MAX_OF_BARE = 1.25;
const ALONE = "the same with `COMMIT_GROUP_SIZE=1`";
const POST = ['POST /v1/pets {"name":"Bella #","categoryId":3,"status":"available"}'];

/** No name was sent twice, so none may be stored twice. */
const assertNoDoubles = (file: string) => {
  const database = new Database(file, { readonly: true });
  const row = database
    .query<{ doubles: number }, []>("select count(*) - count(distinct name) as doubles from pets")
    .get();
  database.close();
  if (row?.doubles !== 0) throw new Refused(`${row?.doubles} animals were stored twice`);
};

/** What an animal costs without anything that follows from it: lists, searches, counts and events are lost. */
const strip = (file: string) => {
  const database = new Database(file, { readwrite: true });
  const objects = database
    .query<{ sql: string }, []>(
      "select format('drop %s \"%w\"', type, name) as sql from sqlite_schema where type in ('trigger', 'index') and sql is not null",
    )
    .all();
  for (const { sql } of objects) database.run(sql);
  database.close();
};

/** Adding animals, every answer a 201 of one that is on disk. */
export const write = async (bench: Bench): Promise<string> => {
  const [grouped, alone] = [bench.databases.make("grouped", 0), bench.databases.make("alone", 0)];
  const bare = bench.databases.make("bare", 0);
  strip(bare.file);
  const servers = [
    await serve(bench, grouped),
    await serve(bench, alone, { COMMIT_GROUP_SIZE: "1" }),
    await serve(bench, bare),
  ] as const;
  const load = { key: grouped.key, file: writeList(bench.directory, "posts", POST), expected: 201 };
  const { server: pocketBase, key } = await startPocketBase(bench, 0);
  const created = { key, file: writeList(bench.directory, "creates", [CREATE]), expected: 200 };
  const results = await withServers([...servers, pocketBase], () =>
    contest(
      [
        { name: GROUPED, server: servers[0], load },
        { name: BARE, server: servers[2], load },
        { name: ALONE, server: servers[1], load },
        { name: POCKETBASE, server: pocketBase, load: created },
      ],
      bench.pace,
    ),
  );
  for (const { file } of [grouped, alone, bare]) assertNoDoubles(file);
  const row = (name: string) => {
    const gain = ratioOf(results, GROUPED, name, "rate");
    return [...figuresOf(results, name), `${ratio(gain)} times the rate: ${atLeast(gain, 3, "")}`];
  };
  const cost = ratioOf(results, GROUPED, BARE, "cpu");
  return section(
    "Writing: `POST /v1/pets` with 64 connections",
    "Every animal is on disk (`synchronous=FULL`) before its response is sent. PocketBase's own default is `NORMAL`, which can lose the last commits when the power fails.",
    [
      [...FIGURES, `target of ${GROUPED}`],
      [...figuresOf(results, GROUPED), ""],
      [...figuresOf(results, BARE), `${ratio(cost)} times the CPU: ${atMost(cost, MAX_OF_BARE, "")}`],
      row(ALONE),
      row(POCKETBASE),
    ],
  );
};
