import { Database } from "bun:sqlite";
import { type Bench, serve, withServers } from "./bench.ts";
import { contest, ratioOf } from "./contest.ts";
import { FIGURES, figuresOf } from "./figures.ts";
import { Refused } from "./options.ts";
import { CREATE, POCKETBASE, startPocketBase } from "./pocketbase.ts";
import { atLeast, ratio, section } from "./table.ts";
import { writeList } from "./wrk.ts";

const GROUPED = "adoption-store";
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

/** Adding animals, every answer a 201 of one that is on disk. */
export const write = async (bench: Bench): Promise<string> => {
  const [grouped, alone] = [bench.databases.make("grouped", 0), bench.databases.make("alone", 0)];
  const servers = [
    await serve(bench, grouped),
    await serve(bench, alone, { COMMIT_GROUP_SIZE: "1" }),
  ] as const;
  const load = { key: grouped.key, file: writeList(bench.directory, "posts", POST), expected: 201 };
  const { server: pocketBase, key } = await startPocketBase(bench, 0);
  const created = { key, file: writeList(bench.directory, "creates", [CREATE]), expected: 200 };
  const results = await withServers([...servers, pocketBase], () =>
    contest(
      [
        { name: GROUPED, server: servers[0], load },
        { name: ALONE, server: servers[1], load },
        { name: POCKETBASE, server: pocketBase, load: created },
      ],
      bench.pace,
    ),
  );
  for (const { file } of [grouped, alone]) assertNoDoubles(file);
  const row = (name: string) => {
    const gain = ratioOf(results, GROUPED, name, "rate");
    return [...figuresOf(results, name), `${ratio(gain)} times this: ${atLeast(gain, 3, "")}`];
  };
  return section(
    "Writing: `POST /v1/pets` with 64 connections",
    "Every animal is on disk (`synchronous=FULL`) before its response is sent. PocketBase's own default is `NORMAL`, which can lose the last commits when the power fails.",
    [
      [...FIGURES, `target (rate of ${GROUPED})`],
      [...figuresOf(results, GROUPED), ""],
      row(ALONE),
      row(POCKETBASE),
    ],
  );
};
