import { readFileSync, statSync, writeFileSync, appendFileSync, existsSync, mkdirSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { animals, placing } from "./placed.ts";
import { inProcessIn, expectFailure, bundledIn } from "./program.ts";
import { join } from "node:path";
import { CategoryGone, importRepository } from "../../src/store/import-export/repository.ts";
import { saveSettings } from "../../src/config/shared-settings.ts";
import { OPERATOR } from "../../src/lib/actor.ts";
import { directoryWithStore } from "../support/new-store.ts";
import { openStore } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

const spawn = bundledIn();

const place = placing(inProcessIn);

describe("an import reads", () => {
  test.each([
    ["with commas", "name,categoryId,status\nBella,3,available\nRex,4,\n"],
    ["with semicolons", "name;categoryId;status\nBella;3;available\nRex;4;\n"],
    ["with tabs", "name\tcategoryId\tstatus\nBella\t3\tavailable\nRex\t4\t\n"],
    ["with a BOM, CRLF and no last line end", "\uFEFFname,categoryId,status\r\nBella,3,available\r\nRex,4,"],
    ["with columns in any order and spelling", "STATUS,Category ID,Na_me\navailable,3,Bella\n,4,Rex\n"],
    ["with blank rows", "\nname,categoryId,status\n\nBella,3,available\n,,\nRex,4,\n\n"],
    ["with capitals and spaces", "name,categoryId,status\nBella, 3 ,AVAILABLE\nRex,+4,\n"],
    [
      "as Excel's Unicode text",
      Buffer.from("\uFEFFname\tcategoryId\tstatus\r\nBella\t3\tavailable\r\nRex\t4\t\r\n", "utf16le"),
    ],
  ])("%s", async (_, text) => {
    const { cwd, importing } = place(text);
    const { code, error, out } = await importing();
    expect([code, error]).toEqual([0, ""]);
    const blank = text.includes("\n,,") ? "; 1 blank row skipped" : "";
    expect(out).toStartWith(`2 rows read: 2 added, 0 rejected${blank} (`);
    expect(animals(cwd)).toEqual(["Bella|3|available", "Rex|4|"]);
  });

  test("a file with blank rows, and counts these separately", async () => {
    const { importing } = place("name,categoryId\n,\nBella,3\n , \n,\n,x\n\n,\n");
    const { out } = await importing("--dry-run");
    expect(out).toContain("2 rows read: 1 would be added, 1 would be rejected; 4 blank rows skipped (");
    expect(JSON.parse((await importing("--json")).out)).toMatchObject({ read: 2, blank: 4, rejected: 1 });
    expect((await importing("--json")).error).toContain("(1 animal)");
  });

  test("a file of one row, and reports it in the singular", async () => {
    const { importing } = place("name,categoryId\nBella,3\n");
    expect((await importing()).out).toStartWith("1 row read: 1 added, 0 rejected (");
  });

  test("NDJSON, with integers to the last digit", async () => {
    const lines = [
      '{"name":"Bella","categoryId":9223372036854775807,"status":"sold"}',
      "",
      '{"Category_ID":-1,"Name":"Rex","status":null}',
    ];
    const { cwd, importing } = place(lines.join("\r\n"), "a.ndjson");
    expect((await importing()).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|9223372036854775807|sold", "Rex|-1|"]);
  });

  test("names keep quotes, separators, emoji and right-to-left text", async () => {
    const names = ['Max, the "Great"', "🐶 Rex; 👩‍👧", "كلب سعيد", "می\u200cخواهم", "=1+1", " lead"];
    const rows = names.map((name) => `"${name.replaceAll('"', '""')}",-9223372036854775808`);
    const { cwd, importing } = place(`name,categoryId\n${rows.join("\n")}\n`);
    expect((await importing()).code).toBe(0);
    expect(animals(cwd)).toEqual(names.map((name) => `${name}|-9223372036854775808|`));
  });

  test("standard input, if its format and the file of rejected rows are named", async () => {
    const cwd = await directoryWithStore();
    const text = "name,categoryId\nBella,3\nRex,x\n";
    const missing = await spawn(cwd, ["import", "-", "--format", "csv"], text);
    expect([missing.code, missing.error]).toEqual([2, expect.stringContaining("--rejected")]);
    expect((await spawn(cwd, ["import", "-", "--rejected", "r"], text)).error).toContain("--format");
    const done = await spawn(cwd, ["import", "-", "--format", "csv", "--rejected", "r", "--json"], text);
    expect(JSON.parse(done.out)).toMatchObject({
      read: 2,
      added: 1,
      rejected: 1,
      rejectedFile: "r",
      done: true,
    });
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });
});

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

describe("columns", () => {
  test("that are unknown are listed and skipped, as are the ids of an export", async () => {
    const { cwd, importing } = place("id,name,Owner,categoryId\n77,Bella,north,3\n");
    const { error } = await importing();
    expect(error).toContain('skipped columns: "Owner"; to keep them as custom fields');
    expect(error).toContain('"id" is not read: new animals get new ids');
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });

  test("are mapped by --map, and another column of that name is then ignored", async () => {
    const { cwd, importing } = place("Animal Name,name,Kind\nBella,owner,3\n");
    const { code, error } = await importing("--map", "animal name=name", "--map", "Kind=categoryId");
    expect([code, error]).toEqual([0, expect.stringContaining('"name"')]);
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });

  test("that --map spells exactly win over other spellings of the same name", async () => {
    const { cwd, importing } = place("name,Name,categoryId\nowner,Bella,3\n");
    expect((await importing("--map", "Name=name")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });

  test("that --map spells exactly win if another mapping has another spelling", async () => {
    const { cwd, importing } = place("state,State,categoryId\nsold,Bella,3\n");
    expect((await importing("--map", "State=name", "--map", "state=status")).code).toBe(0);
    expect(animals(cwd)).toEqual(["Bella|3|sold"]);
  });

  test.each([
    ["that are missing", "Animal,categoryId\nBella,3\n", /name; found "Animal", "categoryId"/],
    [
      "whose names differ in spelling alone",
      "name,Name,categoryId\nBella,x,3\n",
      /"name", "Name" are both name; choose one: --map "Name=name"/,
    ],
    ["with the same name", "name,name,categoryId\nBella,x,3\n", /two columns are "name"; rename one of them/],
    ["of an empty file", "", /no header/],
    ["in big-endian UTF-16", utf16be("name,categoryId\nBella,3\n"), /encoding .* UTF-8/],
    ["in marked big-endian UTF-16", utf16be("\uFEFFname,categoryId\n"), /encoding .* UTF-8/],
    ["in UTF-16 without a mark", Buffer.from("name,categoryId\nBella,3\n", "utf16le"), /encoding .* UTF-8/],
    ["that do not end", `name,categoryId,${"c,".repeat(40_000)}c\nBella,3\n`, /header is longer than 64 KiB/],
  ])("%s are refused", async (_, text, message) => {
    expectFailure(await place(text).importing(), 1, message);
  });

  test("that --map names must exist", async () => {
    expectFailure(
      await place("name,categoryId\nBella,3\n").importing("--map", "nope=name"),
      1,
      '--map names the column "nope", which the file does not have; found "name", "categoryId"',
    );
  });
});

test("--dry-run checks everything and writes nothing", async () => {
  const { cwd, path, importing } = place("name,categoryId\nBella,3\nRex,x\n");
  const { code, out, error } = await importing("--dry-run");
  expect([code, out]).toEqual([
    1,
    expect.stringContaining("2 rows read: 1 would be added, 1 would be rejected"),
  ]);
  expect(error).toContain("line 3: categoryId: must be an integer");
  expect([existsSync(join(cwd, "data")), existsSync(`${path}.rejected`)]).toEqual([false, false]);
});

describe("where categories are strict", () => {
  const TEXT = "name,categoryId\nBella,1\nRex,2\n";
  /** A store with one category, and a file with animals of two. */
  const placed = async () => {
    const here = place(TEXT);
    const data = join(here.cwd, "data");
    mkdirSync(data);
    const store = await openStore({ path: join(data, "adoption-store.db") });
    await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
    return { ...here, data, store };
  };
  const UNKNOWN = "line 3: categoryId: there is no category 2";

  test("rows of a category without a record are rejected", async () => {
    const { cwd, importing, read } = await placed();
    const { code, out, error } = await importing("--strict-categories", "true");
    expect([code, error]).toEqual([1, expect.stringContaining(UNKNOWN)]);
    expect(out).toStartWith("2 rows read: 1 added, 1 rejected");
    expect(animals(cwd)).toEqual(["Bella|1|"]);
    expect(read("a.csv.rejected")).toContain("Rex,2,3,categoryId: there is no category 2");
  });

  test("a command next to a server applies its setting, also with --dry-run", async () => {
    const { importing, data, store } = await placed();
    await saveSettings({ ...store.config, dataDir: data, strictCategories: true }, 3000);
    const { code, error, out } = await importing("--dry-run");
    expect([code, error]).toEqual([1, expect.stringContaining(UNKNOWN)]);
    expect(out).toContain("2 rows read: 1 would be added, 1 would be rejected");
  });

  test("deleting a category after its rows were read and before they are committed stops the import", async () => {
    const { store, data } = await placed();
    const imports = importRepository(store.database, {
      actor: OPERATOR,
      now: () => 0,
      strictCategories: true,
      lockPath: (id) => join(data, `import-${id}.lock`),
    });
    const progress = {
      repeated: 0,
      updated: 0,
      unchanged: 0,
      absent: 0,
      hash: "",
      bytes: 0,
      read: 0,
      added: 0,
      rejected: 0,
      rejectedBytes: 0,
      rejectedHash: null,
    };
    const begun = { ...progress, file: "a.csv", head: "a", columns: null, rejectedFile: null, startedAt: 0 };
    const id = await imports.start(begun, false, 0);
    const add = (categoryId: bigint) =>
      imports.write(id, 0, progress, {
        added: [
          { name: "Bella", categoryId: 1n },
          { name: "Rex", categoryId },
        ],
        updated: [],
        deleted: [],
      });
    expect(await outcomeOf(add(2n))).toThrow(CategoryGone);
    expect(await (await store.call("GET", "/v1/pets")).json()).toEqual([]);
    await add(1n);
    expect(await (await store.call("GET", "/v1/pets")).json()).toHaveLength(2);
  });
});

describe("a file that was imported", () => {
  const TEXT = "name,categoryId\nBella,3\nRex,4\n";

  test("is refused, also under another name, except with --again", async () => {
    const { cwd, importing } = place(TEXT);
    await importing();
    writeFileSync(join(cwd, "b.csv"), TEXT);
    expectFailure(
      await inProcessIn(cwd, ["import", "b.csv"]),
      1,
      /imported on \d{4}-.*Z \(2 animals\): add --again/,
    );
    expect((await importing("--again")).code).toBe(0);
    expect(animals(cwd)).toHaveLength(4);
  });

  test("and has grown since is imported from its old end", async () => {
    const { cwd, path, importing } = place(TEXT);
    await importing();
    appendFileSync(path, "Max,5\n,\n");
    const { error, out } = await importing();
    expect(error).toContain("2 rows of it were imported on");
    expect(out).toStartWith("3 rows read (2 in an earlier run): 3 added, 0 rejected; 1 blank row skipped");
    expect(animals(cwd)).toEqual(["Bella|3|", "Rex|4|", "Max|5|"]);
    expect((await importing()).error).toContain("was already imported on");
  });
});

test.each([
  [[], "file"],
  [["none.csv"], '"none.csv" does not exist'],
  [["data.csv"], '"data.csv" is a directory: name a file in it'],
  [["/dev/null"], '"/dev/null" is not an ordinary file: pipe it to standard input, and name the file -'],
  [["/dev/fd/63"], '"/dev/fd/63" is not an ordinary file'],
  [["a.csv", "--rejected", "a.csv"], '--rejected: "a.csv" is the file to import'],
  [["a.csv", "--rejected", "data.csv/../a.csv"], "is the file to import"],
  [["a.csv", "--rejected", "data.csv"], '--rejected: "data.csv" is not an ordinary file'],
  [["a.csv", "--rejected", "none/x"], '--rejected: the directory "none" does not exist'],
  [["a.csv", "--rejected", "a.csv/x"], '--rejected: "a.csv" is not a directory'],
  [["a.csv", "--rejected", "x".repeat(300)], "--rejected: "],
  [["a.csv", "--map", "x=y"], '--map: "x=y"'],
  [
    ["a.csv", "--map", "name=name", "--map", "name=status"],
    '--map: the column "name" is mapped to name and to status',
  ],
  [["a.csv", "--map", "x=name", "--map", "y=name"], '--map: the columns "x" and "y" are both mapped to name'],
  [["a.csv", "--delimiter", "ab"], '--delimiter: "ab"'],
  [["a.csv", "--format", "xml"], "--format"],
])("import %j is wrong use", async (flags, named) => {
  const { cwd } = place("name,categoryId\nBella,1\n");
  mkdirSync(join(cwd, "data.csv"));
  const command = flags.includes("/dev/fd/63") ? spawn : inProcessIn;
  const { code, error } = await command(cwd, ["import", ...flags]);
  expect([code, error]).toEqual([2, expect.stringContaining(named)]);
  expect(error).not.toMatch(/\bE[A-Z]{4,}\b/);
  expect(existsSync(join(cwd, "data"))).toBe(false);
});

describe("rows that break a rule", () => {
  const TEXT = `name,note,categoryId\nBella,n,3\n,n,4\nRex,"two\nlines",9223372036854775808\nMax,n\n"a "b",n,1\nZoe,n,2\n"open,n,5\n`;

  test("go to FILE.rejected with their line and reason, for the owner alone; the good ones are in", async () => {
    const { cwd, path, importing, read } = place(TEXT);
    const { code, out } = await importing();
    expect(code).toBe(1);
    expect(out).toStartWith("7 rows read: 2 added, 5 rejected, see a.csv.rejected (");
    expect(animals(cwd)).toEqual(["Bella|3|", "Zoe|2|"]);
    expect(statSync(`${path}.rejected`).mode & 0o777).toBe(0o600);
    const text = read("a.csv.rejected");
    expect(text).toStartWith("name,note,categoryId,line,reason\n,n,4,3,");
    expect(text).toContain('Rex,"two\nlines",9223372036854775808,4,categoryId: must be an integer');
    expect(text).toContain('Max,n,,6,"has 2 cells; the header has 3"\n');
    expect(text).toContain('"""a ""b"",n,1",,,7,a quote ends before');
    expect(text).toContain('"""open,n,5",,,9,a quote is opened and never closed\n');
  });

  test("are imported once they are corrected", async () => {
    const { cwd, importing, path } = place("name,categoryId\nBella,three\n");
    await importing();
    writeFileSync(`${path}.rejected`, readFileSync(`${path}.rejected`, "utf8").replace("three", "3"));
    const { code, error } = await inProcessIn(cwd, ["import", "a.csv.rejected"]);
    expect([code, error]).toEqual([0, ""]);
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });

  test("of NDJSON stay objects, or are kept as text", async () => {
    const { importing, read } = place(
      '{"name":"Rex","categoryId":"3"}\n{broken\n[1]\n{"name":"a","Name":"b","categoryId":1}\n',
      "a.ndjson",
    );
    await importing();
    const rows = read("a.ndjson.rejected")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(rows).toEqual([
      {
        name: "Rex",
        categoryId: "3",
        line: 1,
        reason: expect.stringContaining("categoryId: must be an integer"),
      },
      { text: "{broken", line: 2, reason: expect.stringContaining("not valid JSON") },
      { text: "[1]", line: 3, reason: "is not a JSON object" },
      {
        name: "a",
        Name: "b",
        categoryId: 1,
        line: 4,
        reason: expect.stringMatching(/"name" and "Name".*--map "Name=name"/),
      },
    ]);
  });

  test("are also rows that are not UTF-8, but not a U+FFFD in the file itself", async () => {
    const latin1 = Buffer.concat([
      Buffer.from("name,categoryId\nZo"),
      Buffer.from([0xeb]),
      Buffer.from(",1\nRexé,2\n"),
    ]);
    const wrong = place(latin1);
    expect((await wrong.importing()).error).toContain("is not UTF-8");
    expect(animals(wrong.cwd)).toEqual(["Rexé|2|"]);
    const right = place("name,categoryId\nZo\uFFFD,1\n");
    expect((await right.importing()).code).toBe(0);
  });

  test("stay rejected while bytes that were not text are not corrected", async () => {
    const latin1 = Buffer.concat([
      Buffer.from("name,categoryId\nM\xfcller,1\n", "latin1"),
      Buffer.from("Max é,x\n"),
    ]);
    const { cwd, importing, path, read } = place(latin1);
    await importing();
    const again = await inProcessIn(cwd, ["import", "a.csv.rejected"]);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining("line 2: name: U+FFFD stands")]);
    const corrected = read("a.csv.rejected.rejected").replace("\uFFFD", "ü");
    writeFileSync(`${path}.2.csv`, corrected);
    await inProcessIn(cwd, ["import", "a.csv.2.csv"]);
    expect(animals(cwd)).toEqual(["Müller|1|"]);
  });

  test("stay rejected in NDJSON, too", async () => {
    const { cwd, importing } = place(
      Buffer.concat([
        Buffer.from('{"name":"M\xfcller","categoryId":1}\n', "latin1"),
        Buffer.from('{"name":"é"}\n'),
      ]),
      "a.ndjson",
    );
    await importing();
    const { error } = await inProcessIn(cwd, ["import", "a.ndjson.rejected"]);
    expect(error).toContain("line 1: name: U+FFFD stands");
    expect(animals(cwd)).toEqual([]);
  });

  test.each([
    ["half a pair", Buffer.from("\uFEFFname,categoryId\nRex,2\nA\uD800,1\n", "utf16le")],
    ["half a character", Buffer.from("\uFEFFcategoryId,name\n2,Rex\n1,A\n", "utf16le").subarray(0, -3)],
    ["half a character of UTF-8", Buffer.from("categoryId,name\n2,Rex\n1,Aé").subarray(0, -1)],
  ])("are also those with %s", async (_, text) => {
    const { cwd, importing } = place(text);
    const { code, out } = await importing();
    expect([code, out]).toEqual([1, expect.stringContaining("1 added, 1 rejected")]);
    expect(animals(cwd)).toEqual(["Rex|2|"]);
  });

  test("do not overwrite those of an earlier import", async () => {
    const { cwd, importing, path } = place("name,categoryId\nBella,three\n");
    writeFileSync(`${path}.rejected`, "mine");
    expectFailure(await importing(), 1, "a.csv.rejected exists");
    expect([readFileSync(`${path}.rejected`, "utf8"), animals(cwd)]).toEqual(["mine", []]);
  });
});
