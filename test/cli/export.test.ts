import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, setDefaultTimeout, test } from "bun:test";
import { streamTarget } from "../../src/cli/export.ts";
import { temporaryDirectory } from "../support/store.ts";
import { bundledIn } from "./program.ts";

// Each test starts processes, and the machine may be busy.
setDefaultTimeout(60_000);

const run = bundledIn();

const NAMES = [
  'Max, the "Great"',
  "🐶; Rex",
  "=1+1",
  "'=1+1",
  "-x",
  "@y",
  "'z",
  " \u202Eevil ",
  "\uFFFD",
  "\uFEFFb",
];
const STATUSES = ["available", "pending", "sold", null];
const ROWS = NAMES.map((name, at) => ({
  name,
  categoryId: [JSON.rawJSON("9223372036854775807"), JSON.rawJSON("-9223372036854775808"), 0][at % 3],
  status: STATUSES[at % 4],
}));

/** A directory whose store has these animals. */
const filled = async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "rows.ndjson"), ROWS.map((row) => JSON.stringify(row)).join("\n"));
  const { code, error } = await run(cwd, ["import", "rows.ndjson"]);
  expect([code, error]).toEqual([0, ""]);
  return cwd;
};

/** What an export says, without the ids. */
const animalsOf = async (cwd: string) => {
  const { out } = await run(cwd, ["export", "--format", "ndjson"]);
  return out.replaceAll(/"id":\d+,/g, "");
};

test.each([
  ["CSV", "out.csv", []],
  ["CSV for spreadsheets", "out.csv", ["--for-spreadsheets"]],
  ["NDJSON", "out.ndjson", []],
])(
  "an export as %s, imported elsewhere, gives the same animals in the same order",
  async (_, file, flags) => {
    const from = await filled();
    expect((await run(from, ["export", file, ...flags])).code).toBe(0);
    const to = temporaryDirectory();
    const { code, error } = await run(to, ["import", join(from, file), ...flags]);
    expect([code, error]).toEqual([0, ""]);
    const animals = await animalsOf(from);
    expect(animals.split("\n")).toHaveLength(NAMES.length + 1);
    expect(await animalsOf(to)).toBe(animals);
  },
);

test("--for-spreadsheets leaves no cell that a spreadsheet would compute", async () => {
  const { out } = await run(await filled(), ["export", "--for-spreadsheets"]);
  expect(out).toContain("3,'=1+1,");
  expect(out).toContain("4,''=1+1,");
  expect(out).not.toMatch(/,"?[=+@]/);
});

test("without a file it prints CSV and nothing else; --status chooses", async () => {
  const cwd = await filled();
  const all = await run(cwd, ["export"]);
  expect([all.code, all.error]).toEqual([0, ""]);
  expect(all.out).toStartWith(
    'id,name,categoryId,status\n1,"Max, the ""Great""",9223372036854775807,available\n',
  );
  const none = await run(cwd, ["export", "--status", "none", "--format", "ndjson"]);
  expect(none.out).toBe(
    '{"id":4,"name":"\'=1+1","categoryId":9223372036854775807}\n{"id":8,"name":" \u202Eevil ","categoryId":-9223372036854775808}\n',
  );
  const sold = await run(cwd, ["export", "--status", "sold"]);
  expect(sold.out.split("\n")).toHaveLength(4);
});

test("a file appears whole, for its owner alone, and is overwritten only with --force", async () => {
  const cwd = await filled();
  expect((await run(cwd, ["export", "out.csv"])).out).toStartWith("10 animals in out.csv (");
  expect(statSync(join(cwd, "out.csv")).mode & 0o777).toBe(0o600);
  writeFileSync(join(cwd, "out.csv"), "mine");
  const refused = await run(cwd, ["export", "out.csv"]);
  expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("--force")]);
  expect(readFileSync(join(cwd, "out.csv"), "utf8")).toBe("mine");
  expect(JSON.parse((await run(cwd, ["export", "out.csv", "--force", "--json"])).out)).toMatchObject({
    rows: 10,
  });
  expect(readFileSync(join(cwd, "out.csv"), "utf8")).toContain("🐶");
  expect(readdirSync(cwd).toSorted()).toEqual(["data", "out.csv", "rows.ndjson"]);
});

test("standard output waits for its reader, but not for ever", async () => {
  let read = () => {};
  const output = new Writable({ write: (_, _encoding, done) => void (read = done) });
  const patient = streamTarget(output);
  const written = patient.write("a");
  read();
  expect(await written).toBe(true);
  await expect(streamTarget(output, 1).write("b")).rejects.toThrow(/has not read on.*export to a file/);
});

test("a form that the name does not tell must be named", async () => {
  const { code, error } = await run(await filled(), ["export", "out.xls"]);
  expect([code, error]).toEqual([2, expect.stringContaining("--format")]);
});
