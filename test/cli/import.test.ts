import { Database } from "bun:sqlite";
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { CategoryGone, importRepository } from "../../src/bulk/repository.ts";
import { remember } from "../../src/config/remembered.ts";
import { openStore, temporaryDirectory } from "../support/store.ts";
import { bundledIn } from "./program.ts";

// Each test starts processes, and the machine may be busy.
setDefaultTimeout(60_000);

const run = bundledIn();

/** A directory with a file to import. */
const place = (text: string | Uint8Array, file = "a.csv") => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, file), text);
  const importing = (...flags: string[]) => run(cwd, ["import", file, ...flags]);
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  return { cwd, path: join(cwd, file), importing, read };
};

/** All animals as `name|category|status`, in the order of their ids. */
const animals = (cwd: string): string[] => {
  const database = new Database(join(cwd, "data", "adoption-store.db"), { readonly: true });
  const rows = database
    .query<{ animal: string }, []>(
      "select name || '|' || category_id || '|' || coalesce(status, '') as animal from pets order by id",
    )
    .all();
  database.close();
  return rows.map(({ animal }) => animal);
};

describe("a file is read as it comes", () => {
  test.each([
    ["with commas", "name,categoryId,status\nBella,3,available\nRex,4,\n"],
    ["with semicolons", "name;categoryId;status\nBella;3;available\nRex;4;\n"],
    ["with tabs", "name\tcategoryId\tstatus\nBella\t3\tavailable\nRex\t4\t\n"],
    ["with a BOM, CRLF and no last line end", "\uFEFFname,categoryId,status\r\nBella,3,available\r\nRex,4,"],
    [
      "with its columns in another order and spelling",
      "STATUS,Category ID,Na_me\navailable,3,Bella\n,4,Rex\n",
    ],
    [
      "with blank lines and rows of empty cells",
      "\nname,categoryId,status\n\nBella,3,available\n,,\nRex,4,\n\n",
    ],
    [
      "with a status in capitals and spaces around numbers",
      "name,categoryId,status\nBella, 3 ,AVAILABLE\nRex,+4,\n",
    ],
    [
      "as Excel's Unicode text",
      Buffer.from("\uFEFFname\tcategoryId\tstatus\r\nBella\t3\tavailable\r\nRex\t4\t\r\n", "utf16le"),
    ],
  ])("%s", async (_, text) => {
    const { cwd, importing } = place(text);
    const { code, error, out } = await importing();
    expect([code, error]).toEqual([0, ""]);
    expect(out).toStartWith("2 rows read = 2 added + 0 rejected (");
    expect(animals(cwd)).toEqual(["Bella|3|available", "Rex|4|"]);
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

  test("names keep quotes, separators, emoji and right-to-left marks", async () => {
    const names = ['Max, the "Great"', "🐶 Rex; 👩‍👧", "كلب سعيد", "\u202Eevil", "=1+1", "'=x", " lead"];
    const rows = names.map((name) => `"${name.replaceAll('"', '""')}",-9223372036854775808`);
    const { cwd, importing } = place(`name,categoryId\n${rows.join("\n")}\n`);
    expect((await importing()).code).toBe(0);
    expect(animals(cwd)).toEqual(names.map((name) => `${name}|-9223372036854775808|`));
  });

  test("standard input, whose form and file of rejected rows must be named", async () => {
    const { cwd } = place("");
    const text = "name,categoryId\nBella,3\nRex,x\n";
    const missing = await run(cwd, ["import", "-", "--format", "csv"], text);
    expect([missing.code, missing.error]).toEqual([2, expect.stringContaining("--rejected")]);
    expect((await run(cwd, ["import", "-", "--rejected", "r"], text)).error).toContain("--format");
    const done = await run(cwd, ["import", "-", "--format", "csv", "--rejected", "r", "--json"], text);
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

describe("columns", () => {
  test("that are unknown are named and left out; those of exports are left out", async () => {
    const { cwd, importing } = place("id,name,Kennel,categoryId\n77,Bella,north,3\n");
    const { error } = await importing();
    expect(error).toContain('"Kennel"');
    expect(error).not.toContain('"id"');
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });

  test("are mapped by --map, and a column that is called so is then another", async () => {
    const { cwd, importing } = place("Animal Name,name,Kind\nBella,owner,3\n");
    const { code, error } = await importing("--map", "animal name=name", "--map", "Kind=categoryId");
    expect([code, error]).toEqual([0, expect.stringContaining('"name"')]);
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });

  test.each([
    [
      "that are missing are refused with what was found",
      "Animal,categoryId\nBella,3\n",
      /name; found "Animal", "categoryId"/,
    ],
    [
      "of which two are the same are refused",
      "name,Name,categoryId\nBella,x,3\n",
      /"name", "Name" are both name/,
    ],
    ["must be there", "", /no header/],
  ])("%s", async (_, text, says) => {
    const { importing } = place(text);
    const { code, error } = await importing();
    expect([code, error]).toEqual([1, expect.stringMatching(says)]);
  });
});

describe("rows that break a rule", () => {
  const TEXT = `name,note,categoryId\nBella,n,3\n,n,4\nRex,"two\nlines",9223372036854775808\nMax,n\n"a "b",n,1\nZoe,n,2\n"open,n,5\n`;

  test("go to FILE.rejected with their line and reason, for the owner alone; the good ones are in", async () => {
    const { cwd, path, importing, read } = place(TEXT);
    const { code, out } = await importing();
    expect(code).toBe(1);
    expect(out).toStartWith("7 rows read = 2 added + 5 rejected, in a.csv.rejected (");
    expect(animals(cwd)).toEqual(["Bella|3|", "Zoe|2|"]);
    expect(statSync(`${path}.rejected`).mode & 0o777).toBe(0o600);
    const text = read("a.csv.rejected");
    expect(text).toStartWith("name,note,categoryId,line,reason\n,n,4,3,");
    expect(text).toContain('Rex,"two\nlines",9223372036854775808,4,categoryId: must be an integer');
    expect(text).toContain("Max,n,,6,has 2 cells where the header has 3\n");
    expect(text).toContain('"""a ""b"",n,1",,,7,"a quote ends before');
    expect(text).toContain('"""open,n,5",,,9,a quote is opened and never closed\n');
  });

  test("are imported when they are mended", async () => {
    const { cwd, importing, path } = place("name,categoryId\nBella,three\n");
    await importing();
    writeFileSync(`${path}.rejected`, readFileSync(`${path}.rejected`, "utf8").replace("three", "3"));
    const { code, error } = await run(cwd, ["import", "a.csv.rejected"]);
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
      { text: "[1]", line: 3, reason: "is no JSON object" },
      { name: "a", Name: "b", categoryId: 1, line: 4, reason: "name: is there twice" },
    ]);
  });

  test("are also those that are no UTF-8, but not a U+FFFD that was written as such", async () => {
    const latin1 = Buffer.concat([
      Buffer.from("name,categoryId\nZo"),
      Buffer.from([0xeb]),
      Buffer.from(",1\nRex,2\n"),
    ]);
    const wrong = place(latin1);
    expect((await wrong.importing()).error).toContain("is not UTF-8");
    expect(animals(wrong.cwd)).toEqual(["Rex|2|"]);
    const right = place("name,categoryId\nZo\uFFFD,1\n");
    expect((await right.importing()).code).toBe(0);
  });

  test("are not written over those of an import before", async () => {
    const { cwd, importing, path } = place("name,categoryId\nBella,three\n");
    writeFileSync(`${path}.rejected`, "mine");
    const { code, error } = await importing();
    expect([code, error]).toEqual([1, expect.stringContaining("a.csv.rejected exists")]);
    expect([readFileSync(`${path}.rejected`, "utf8"), animals(cwd)]).toEqual(["mine", []]);
  });
});

test("--dry-run checks everything and writes nothing", async () => {
  const { cwd, path, importing } = place("name,categoryId\nBella,3\nRex,x\n");
  const { code, out, error } = await importing("--dry-run");
  expect([code, out]).toEqual([
    1,
    expect.stringContaining("2 rows read = 1 would be added + 1 would be rejected"),
  ]);
  expect(error).toContain("line 3: categoryId: must be an integer");
  expect([existsSync(join(cwd, "data")), existsSync(`${path}.rejected`)]).toEqual([false, false]);
});

describe("where categories are strict", () => {
  const TEXT = "name,categoryId\nBella,1\nRex,2\n";
  /** A store with one category, beside a file of animals of two. */
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
    expect(out).toStartWith("2 rows read = 1 added + 1 rejected");
    expect(animals(cwd)).toEqual(["Bella|1|"]);
    expect(read("a.csv.rejected")).toContain("Rex,2,3,categoryId: there is no category 2");
  });

  test("a command beside a server knows it, and --dry-run too", async () => {
    const { importing, data, store } = await placed();
    await remember({ ...store.config, dataDir: data, strictCategories: true }, 3000);
    const { code, error, out } = await importing("--dry-run");
    expect([code, error]).toEqual([1, expect.stringContaining(UNKNOWN)]);
    expect(out).toStartWith("2 rows read = 1 would be added + 1 would be rejected");
  });

  test("a category that goes between the reading of its rows and their commit stops the import", async () => {
    const { store, data } = await placed();
    const imports = importRepository(store.database, {
      now: () => 0,
      strictCategories: true,
      lockPath: (id) => join(data, `import-${id}.lock`),
    });
    const progress = { hash: "", bytes: 0, read: 0, added: 0, rejected: 0, rejectedBytes: 0 };
    const begun = { ...progress, file: "a.csv", head: "a", rejectedFile: null, startedAt: 0 };
    const id = await imports.begin(begun, false);
    const add = (categoryId: bigint) =>
      imports.goOn(id, 0, progress, [
        { name: "Bella", categoryId: 1n },
        { name: "Rex", categoryId },
      ]);
    await expect(add(2n)).rejects.toThrow(CategoryGone);
    expect(await (await store.call("GET", "/v1/pets")).json()).toEqual([]);
    await add(1n);
    expect(await (await store.call("GET", "/v1/pets")).json()).toHaveLength(2);
  });
});

describe("a file that was imported", () => {
  const TEXT = "name,categoryId\nBella,3\nRex,4\n";

  test("is refused, under another name too, but for --again", async () => {
    const { cwd, importing } = place(TEXT);
    await importing();
    writeFileSync(join(cwd, "b.csv"), TEXT);
    const { code, error } = await run(cwd, ["import", "b.csv"]);
    expect([code, error]).toEqual([1, expect.stringMatching(/imported on \d{4}-.*Z \(2 animals\): --again/)]);
    expect((await importing("--again")).code).toBe(0);
    expect(animals(cwd)).toHaveLength(4);
  });

  test("and has grown since is imported from there on", async () => {
    const { cwd, path, importing } = place(TEXT);
    await importing();
    appendFileSync(path, "Max,5\n");
    const { error, out } = await importing();
    expect(error).toContain("its first 2 rows were imported on");
    expect(out).toStartWith("3 rows read (2 of them before) = 3 added + 0 rejected");
    expect(animals(cwd)).toEqual(["Bella|3|", "Rex|4|", "Max|5|"]);
    expect((await importing()).error).toContain("was imported on");
  });
});

test.each([
  [["import"], "file"],
  [["import", "none.csv"], 'there is no file "none.csv"'],
  [["import", "a.csv", "--map", "x=y"], '--map: "x=y"'],
  [["import", "a.csv", "--delimiter", "ab"], '--delimiter: "ab"'],
  [["import", "a.csv", "--format", "xml"], "--format"],
])("%j is wrong use", async (argv, named) => {
  const { cwd } = place("name,categoryId\n");
  const { code, error } = await run(cwd, argv);
  expect([code, error]).toEqual([2, expect.stringContaining(named)]);
});
