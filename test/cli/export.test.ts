import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, test } from "bun:test";
import { streamTarget } from "../../src/cli/export.ts";
import { shareLock } from "../../src/data/db/file-lock.ts";
import { createStore, directoryWithStore } from "../support/new-store.ts";
import { temporaryDirectory } from "../support/store.ts";
import { bundledIn, bundledOnTerminal, inProcess, inProcessIn, expectFailure } from "./program.ts";
import { outcomeOf } from "../support/outcome.ts";

/** What an import of an export reports. */
const NEW_IDS = 'adoption-store: "id" is not read: new animals get new ids\n';

const run = inProcessIn;
const spawn = bundledIn();
const onTerminal = bundledOnTerminal();

const NAMES = [
  'Max, the "Great"',
  "🐶; Rex",
  "=1+1",
  "'=1+1",
  "-x",
  "@y",
  "'z",
  " שָׂרָה ",
  "\uFFFD",
  "می\u200cخواهم",
  "＝1+1",
  "' =1",
  "Rex;=1+1;",
];
const STATUSES = ["available", "pending", "sold", null];
const ROWS = NAMES.map((name, at) => ({
  name,
  categoryId: [JSON.rawJSON("9223372036854775807"), JSON.rawJSON("-9223372036854775808"), 0][at % 3],
  status: STATUSES[at % 4],
}));

/** A directory with a store of these animals. */
const filled = async () => {
  const cwd = await directoryWithStore();
  writeFileSync(join(cwd, "rows.ndjson"), ROWS.map((row) => JSON.stringify(row)).join("\n"));
  const { code, error } = await run(cwd, ["import", "rows.ndjson"]);
  expect([code, error]).toEqual([0, ""]);
  return cwd;
};

/** The text of an export, without ids. */
const animalsOf = async (cwd: string) => {
  const { out } = await run(cwd, ["export", "--format", "ndjson"]);
  return out.replaceAll(/"id":\d+,/g, "");
};

test.each([
  ["CSV", "out.csv", []],
  ["raw CSV", "out.csv", ["--raw"]],
  ["CSV with the flag of earlier versions", "out.csv", ["--for-spreadsheets"]],
  ["NDJSON", "out.ndjson", []],
])(
  "an export as %s, imported elsewhere, gives the same animals in the same order",
  async (_, file, flags) => {
    const from = await filled();
    expect((await spawn(from, ["export", file, ...flags])).code).toBe(0);
    const to = await directoryWithStore();
    const { code, error } = await spawn(to, ["import", join(from, file), ...flags]);
    expect([code, error]).toEqual([0, NEW_IDS]);
    const animals = await animalsOf(from);
    expect(animals.split("\n")).toHaveLength(NAMES.length + 1);
    expect(await animalsOf(to)).toBe(animals);
  },
);

describe("an export has the name of the category next to its id", () => {
  const placed = async (format: string) => {
    const cwd = await directoryWithStore();
    await run(cwd, ["categories", "add", "=Dogs", 'Cats, "small"']);
    writeFileSync(
      join(cwd, "rows.ndjson"),
      '{"name":"Bella","categoryId":1}\n{"name":"Tom","categoryId":2,"status":"sold"}\n{"name":"Rex","categoryId":9}\n',
    );
    await run(cwd, ["import", "rows.ndjson"]);
    const file = `out.${format}`;
    expect((await run(cwd, ["export", file])).code).toBe(0);
    return { cwd, file, text: readFileSync(join(cwd, file), "utf8") };
  };

  test.each([
    [
      "csv",
      `id,name,categoryId,category,status\n1,Bella,1,'=Dogs,\n2,Tom,2,"Cats, ""small""",sold\n3,Rex,9,,\n`,
    ],
    [
      "ndjson",
      `{"id":1,"name":"Bella","categoryId":1,"category":"=Dogs"}
{"id":2,"name":"Tom","categoryId":2,"category":"Cats, \\"small\\"","status":"sold"}
{"id":3,"name":"Rex","categoryId":9}\n`,
    ],
  ])("as %s, and imports again with the same result", async (format, expected) => {
    const { cwd, file, text } = await placed(format);
    expect(text).toBe(expected);
    expect(await run(cwd, ["import", file])).toMatchObject({ code: 0, error: NEW_IDS });
    const animals = (await animalsOf(cwd)).trim().split("\n");
    expect(animals.slice(3)).toEqual(animals.slice(0, 3));
  });

  test("which a row may not contradict: an edited name is not lost silently", async () => {
    const { cwd } = await placed("csv");
    writeFileSync(
      join(cwd, "edited.csv"),
      'name,categoryId,category\nBella,1,"Cats, ""Small"""\nMax,9,Any\n',
    );
    const { code, error, out } = await run(cwd, ["import", "edited.csv"]);
    expect([code, error]).toEqual([
      1,
      expect.stringContaining('is not the name of category 1, which is "=Dogs"'),
    ]);
    expect(out).toContain("1 added, 1 rejected");
  });
});

test("an export has no cell that a spreadsheet would interpret as a formula", async () => {
  const { out } = await run(await filled(), ["export"]);
  expect(out).toContain("3,'=1+1,");
  expect(out).toContain("4,''=1+1,");
  expect(out).toContain("11,'＝1+1,");
  expect(out).toContain(`13,"Rex;'=1+1;",`);
  expect(out).not.toMatch(/[,;]"?[=+@＝]/);
});

test("--raw writes names unchanged, and import --raw reads them unchanged", async () => {
  const cwd = await filled();
  expect((await run(cwd, ["export", "raw.csv", "--raw"])).code).toBe(0);
  const text = readFileSync(join(cwd, "raw.csv"), "utf8");
  expect(text).toContain("\n3,=1+1,");
  expect(text).toContain("\n4,'=1+1,");
  const [guarded, raw] = [await directoryWithStore(), await directoryWithStore()];
  await run(guarded, ["import", join(cwd, "raw.csv")]);
  expect(await animalsOf(guarded)).not.toContain(`"'=1+1"`);
  rmSync(join(cwd, "raw.csv.rejected"), { force: true });
  await run(raw, ["import", join(cwd, "raw.csv"), "--raw"]);
  expect(await animalsOf(raw)).toBe(await animalsOf(cwd));
});

test.each(["export", "import"])("%s refuses --raw with --for-spreadsheets", async (command) => {
  expectFailure(
    await run(temporaryDirectory(), [command, "a.csv", "--raw", "--for-spreadsheets"]),
    2,
    "--for-spreadsheets",
  );
});

test("export without a file prints only CSV, and --status filters it", async () => {
  const cwd = await filled();
  const all = await spawn(cwd, ["export"]);
  expect([all.code, all.error]).toEqual([0, ""]);
  expect(all.out).toStartWith(
    'id,name,categoryId,category,status\n1,"Max, the ""Great""",9223372036854775807,,available\n',
  );
  const none = await run(cwd, ["export", "--status", "none", "--format", "ndjson"]);
  expect(none.out).toBe(
    '{"id":4,"name":"\'=1+1","categoryId":9223372036854775807}\n{"id":8,"name":" שָׂרָה ","categoryId":-9223372036854775808}\n{"id":12,"name":"\' =1","categoryId":0}\n',
  );
  const sold = await run(cwd, ["export", "--status", "sold"]);
  expect(sold.out.split("\n")).toHaveLength(5);
});

test("the summary of an export of one animal has the singular", async () => {
  const cwd = await directoryWithStore();
  writeFileSync(join(cwd, "one.csv"), "name,categoryId\nBella,1\n");
  await run(cwd, ["import", "one.csv"]);
  expect((await run(cwd, ["export", "out.csv"])).out).toStartWith("1 animal in out.csv (");
});

test("an exported file appears complete, for its owner alone, and is overwritten only with --force", async () => {
  const cwd = await filled();
  expect((await run(cwd, ["export", "out.csv"])).out).toStartWith("13 animals in out.csv (");
  expect(statSync(join(cwd, "out.csv")).mode & 0o777).toBe(0o600);
  writeFileSync(join(cwd, "out.csv"), "mine");
  const refused = await run(cwd, ["export", "out.csv"]);
  expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("--force")]);
  expect(readFileSync(join(cwd, "out.csv"), "utf8")).toBe("mine");
  expect(JSON.parse((await run(cwd, ["export", "out.csv", "--force", "--json"])).out)).toMatchObject({
    rows: 13,
  });
  expect(readFileSync(join(cwd, "out.csv"), "utf8")).toContain("🐶");
  expect(readdirSync(cwd).toSorted()).toEqual(["data", "out.csv", "rows.ndjson"]);
});

test("an export removes what killed exports to the same file have left, and not the file of a running one", async () => {
  const cwd = await filled();
  const gone = Bun.spawnSync(["true"]).pid;
  const [killed, running, elsewhere, other] = [
    `out.csv.${gone}.0123456789ab.partial`,
    `out.csv.${process.pid}.0123456789ab.partial`,
    // As in a container, which has its own process ids.
    `out.csv.${gone}.0123456789ac.partial`,
    `other.csv.${gone}.0123456789ab.partial`,
  ] as const;
  for (const name of [killed, running, elsewhere, other]) {
    writeFileSync(join(cwd, name), "half,of,it\n");
    if (name !== elsewhere) writeFileSync(join(cwd, `${name}.lock`), "");
  }
  const lock = shareLock(join(cwd, `${elsewhere}.lock`));
  expect((await spawn(cwd, ["export", "out.csv"])).code).toBe(0);
  lock.release();
  expect(readdirSync(cwd).toSorted()).toEqual(
    [
      "data",
      "rows.ndjson",
      "out.csv",
      ...[running, elsewhere, other].flatMap((name) => [name, `${name}.lock`]),
    ].toSorted(),
  );
});

test("an export to standard output waits for its reader, but not forever", async () => {
  let read = () => {};
  const output = new Writable({ write: (_, _encoding, done) => void (read = done) });
  const patient = streamTarget(output);
  const written = patient.write("a");
  read();
  expect(await written).toBe(true);
  expect(await outcomeOf(streamTarget(output, 1).write("b"))).toThrow(/has read nothing.*export to a file/);
});

test("--format is required if the file's name does not show the format", async () => {
  expectFailure(await run(await filled(), ["export", "out.xls"]), 2, "--format");
});

describe("an export never overwrites", () => {
  test.each([
    "data/adoption-store.db",
    "data/../data/adoption-store.db-wal",
    "data/admin.key",
    "data/server.lock",
    "data/import-1.lock",
    "data/blobs/ab/animals.csv",
    "link/adoption-store.db",
    "elsewhere.json",
  ])("%s, a file of the server in DATA_DIR", async (file) => {
    const cwd = await filled();
    mkdirSync(join(cwd, "data/blobs/ab"), { recursive: true });
    symlinkSync("data", join(cwd, "link"));
    writeFileSync(join(cwd, "elsewhere.json"), "{}");
    symlinkSync("../elsewhere.json", join(cwd, "data/server.json"));
    const before = readdirSync(join(cwd, "data")).toSorted();
    const { out, error, code } = await run(cwd, ["export", file, "--force", "--format", "csv"]);
    expect([code, out]).toEqual([1, ""]);
    expect(error).toMatch(
      /^adoption-store: .+ is a file of the server in DATA_DIR: choose another directory\n$/,
    );
    expect(readdirSync(join(cwd, "data")).toSorted()).toEqual(before);
    expect(await animalsOf(cwd)).toContain("Rex");
  });

  test.each([
    ["a link", ["ln", "-s", "mine.csv", "out.csv"]],
    ["a pipe", ["mkfifo", "out.csv"]],
    ["a directory", ["mkdir", "out.csv"]],
  ])("%s", async (_, argv) => {
    const cwd = await filled();
    writeFileSync(join(cwd, "mine.csv"), "mine");
    Bun.spawnSync(argv, { cwd });
    const { mode } = lstatSync(join(cwd, "out.csv"));
    expectFailure(
      await run(cwd, ["export", "out.csv", "--force"]),
      1,
      /^adoption-store: out\.csv is not an ordinary file: choose another name\n$/,
    );
    expect(lstatSync(join(cwd, "out.csv")).mode).toBe(mode);
    expect(readFileSync(join(cwd, "mine.csv"), "utf8")).toBe("mine");
  });
});

test.each([
  ["none/out.csv", /none does not exist: create it, or choose another directory\n$/],
  ["rows.ndjson/none/out.csv", /none does not exist: create it, or choose another directory\n$/],
  ["rows.ndjson/out.csv", /rows\.ndjson is not a directory: choose a directory\n$/],
])("an export to %s names the problem of the directory", async (file, message) => {
  const { error, code } = await run(await filled(), ["export", file]);
  expect([code, error]).toEqual([1, expect.stringMatching(message)]);
  expect(error).not.toContain("partial");
});

test.skipIf(!existsSync("/dev/full"))("a full standard output is named, and not DATA_DIR", async () => {
  const { error, code } = await spawn(await filled(), ["export"], "", "/dev/full");
  expect([code, error]).toEqual([
    1,
    "adoption-store: standard output: its file system is full: make room there, then try again\n",
  ]);
});

test("an export on a terminal shows the rows alone, without its progress", async () => {
  const dataDir = await createStore();
  const file = join(dataDir, "animals.csv");
  writeFileSync(file, "name,categoryId\nRex,1\n");
  await inProcess(["import", file, "--data-dir", dataDir]);
  const { shown, code } = await onTerminal(["export"], { DATA_DIR: dataDir });
  expect(code).toBe(0);
  expect(shown.replaceAll("\r", "")).toEndWith("\n1,Rex,1,,\n");
  expect(shown).not.toContain("Exporting");
  expect(shown).not.toContain("\u001B");
});
