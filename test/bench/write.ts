import { Database } from "bun:sqlite";
import { type Bench, serve, withServers } from "./bench.ts";
import { contest, ratioOf } from "./contest.ts";
import { FIGURES, figuresOf } from "./figures.ts";
import { Refused } from "./options.ts";
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
  const results = await withServers(servers, ([together, single]) =>
    contest(
      [
        { name: GROUPED, server: together, load },
        { name: ALONE, server: single, load },
      ],
      bench.pace,
    ),
  );
  for (const { file } of [grouped, alone]) assertNoDoubles(file);
  const gain = ratioOf(results, GROUPED, ALONE, "rate");
  return section(
    "Writing: `POST /v1/pets` with 64 connections",
    "Every answer is a 201, and its animal is on disk (`synchronous=FULL`) when it comes.",
    [
      [...FIGURES, "target (rate)"],
      [...figuresOf(results, GROUPED), `${ratio(gain)} times the other: ${atLeast(gain, 3, "")}`],
      [...figuresOf(results, ALONE), ""],
    ],
  );
};
