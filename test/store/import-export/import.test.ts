import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { columnsOf } from "../../../src/store/import-export/columns.ts";
import { categoryNames } from "../../../src/store/import-export/category-names.ts";
import { importFile } from "../../../src/store/import-export/import.ts";
import type { Dependencies, ImportOptions } from "../../../src/store/import-export/import.ts";
import { presentPets } from "../../../src/store/import-export/present-queries.ts";
import { importRepository } from "../../../src/store/import-export/repository.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { createTables } from "../../support/database.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const CHUNK = 256 * 1024;

/** A store, and a file to import. */
const place = (text: string, name = "a.csv") => {
  const cwd = temporaryDirectory();
  const data = join(cwd, "data");
  mkdirSync(data);
  const file = join(data, "adoption-store.db");
  createTables(file);
  const database = openDatabase(file);
  atEnd(() => database.close());
  const lockPath = (id: number) => join(data, `import-${id}.lock`);
  const imports = importRepository(database, { actor: OPERATOR, now: () => 0, lockPath });
  const path = join(cwd, name);
  writeFileSync(path, text);
  /** Imports, and stops once so many rows are read. */
  const importing = async (wanted: Partial<ImportOptions> = {}, most = Infinity, repository = imports) => {
    const notes: string[] = [];
    let read = 0;
    const dependencies: Dependencies = {
      imports: repository,
      earlierImports: repository.all,
      categories: {
        names: categoryNames(() => []),
        problemOf: () => undefined,
        create: undefined,
        hasCategory: undefined,
      },
      present: presentPets(database),
      addField: () => Promise.resolve(),
      now: () => 0,
      isStopped: () => read >= most,
      sharesThread: false,
      maxPreview: 5,
      reporter: {
        debug() {},
        onNote: (text) => void notes.push(text),
        onProgress: (counts) => (read = counts.read),
        onRefused() {},
      },
    };
    const outcome = await importFile(
      {
        path,
        name: path,
        format: name.endsWith(".ndjson") ? "ndjson" : "csv",
        delimiter: undefined,
        encoding: undefined,
        values: [],
        columns: columnsOf(),
        isRaw: false,
        createsFields: false,
        dates: undefined,
        currency: undefined,
        missing: undefined,
        isConfirmed: false,
        reimport: false,
        rejected: `${path}.rejected`,
        ...wanted,
      },
      dependencies,
    );
    return { ...outcome, notes };
  };
  const animals = (shown = "category_id", where = "") =>
    database.client
      .query<{ animal: string }, []>(
        `select name || '|' || ${shown} as animal from pets ${where} order by id`,
      )
      .all()
      .map(({ animal }) => animal);
  return { cwd, data, path, database, imports, importing, animals };
};

/** Rows, then blank ones at the end of a chunk, then a hundred more rows. */
const withBlankAtEnd = (head: string, row: (name: string) => string, blank: string): string => {
  let text = head;
  while (text.length < CHUNK - 100) text += row("Bella of the long name".padEnd(40, "!"));
  text += row("x".repeat(CHUNK - text.length - blank.length - row("").length)) + blank;
  expect(text).toHaveLength(CHUNK);
  return text + row("Rex").repeat(100);
};

const CSV = withBlankAtEnd("name,categoryId\n", (name) => `${name},3\n`, ",\n".repeat(4));
const BLANK: [string, string, string][] = [
  ["rows of empty cells", CSV, "a.csv"],
  ["a blank line of CSV", withBlankAtEnd("name,categoryId\n", (name) => `${name},3\n`, "\n"), "a.csv"],
  [
    "a blank line of NDJSON",
    withBlankAtEnd("", (name) => `{"name":"${name}","categoryId":3}\n`, "\n"),
    "a.ndjson",
  ],
];

describe.each(BLANK)("where a chunk ends with %s", (_, text, file) => {
  test("a file that was imported is recognized", async () => {
    const { importing } = place(text, file);
    expect(await importing()).toMatchObject({ rejected: 0, done: true });
    expect(await outcomeOf(importing())).toThrow(
      /was already imported on .*: add --again to import it once more$/,
    );
  });

  test("a stopped import continues after it, or before it", async () => {
    const { importing, animals } = place(text, file);
    const first = await importing({}, 1000);
    expect(first.done).toBe(false);
    const rows = text.split("\n").filter((line) => /\w/.test(line)).length - (file === "a.csv" ? 1 : 0);
    const second = await importing({}, rows - 1);
    expect(second.before).toBe(first.read);
    const last = second.done ? second : await importing();
    expect(last).toMatchObject({ read: rows, added: rows, rejected: 0, done: true });
    expect(animals()).toHaveLength(rows);
  });
});

test("a file of blank rows has no rows, and its import can be stopped", async () => {
  const text = `name,categoryId\nBella,3\n${",\n".repeat(CHUNK)}`;
  const { importing, animals } = place(text);
  expect(await importing({}, 1)).toMatchObject({ read: 1, done: false });
  expect(await importing()).toMatchObject({ read: 1, added: 1, done: true });
  expect(animals()).toEqual(["Bella|3"]);
});

test("the words that SQL cannot make of a name are stored with each animal that has some", async () => {
  const { importing, animals } = place("name,categoryId\n東京犬,3\nBella,4\n黒猫,5\n", "scripts.csv");
  expect(await importing()).toMatchObject({ added: 3, done: true });
  expect(animals("of_name", "join pet_search on pet_id = id")).toEqual(["東京犬|犬", "黒猫|猫"]);
});

describe("a file whose end was cut off", () => {
  const WHOLE = "categoryId,name\n1,Bella\n12,Rex\n13,Max\n";
  const endOf = (text: string) => WHOLE.indexOf(text) + text.length;

  test.each([
    ["inside a cell", endOf("\n1,Bella\n1")],
    ["after a separator", endOf("12,")],
    ["before a line end would have come, in a name", endOf("12,Re")],
  ])("cut %s is not taken for the whole file", async (_, end) => {
    const { path, importing, animals } = place(WHOLE.slice(0, end));
    await importing();
    const before = animals();
    writeFileSync(path, WHOLE);
    expect(await outcomeOf(importing({ rejected: `${path}.2` }))).toThrow(/cut off.*--again/);
    expect(animals()).toEqual(before);
    expect(await importing({ rejected: `${path}.2`, reimport: true })).toMatchObject({
      added: 3,
      rejected: 0,
    });
  });

  test.each([
    ["after a line end", endOf("12,Rex\n")],
    ["before a line end", endOf("12,Rex")],
  ])("cut %s is imported from there once it is whole again", async (_, end) => {
    const { path, importing, animals } = place(WHOLE.slice(0, end));
    await importing();
    writeFileSync(path, WHOLE);
    expect(await importing()).toMatchObject({ read: 3, before: 2, added: 3, done: true });
    expect(animals()).toEqual(["Bella|1", "Rex|12", "Max|13"]);
  });
});

describe("an update decides again about rows", () => {
  const HEADER = "reference,name,categoryId\n";
  const FILE = `${HEADER}A-1,Bello,1\nA-2,Tommy,1\n,Kim,1\n`;

  /** A store with two animals, and an update of them, whose writes each follow another client's. */
  const updating = async (edit: string, times: number) => {
    const { importing, animals, database, imports, path } = place(`${HEADER}A-1,Bella,1\nA-2,Tom,1\n`);
    await importing();
    writeFileSync(path, FILE);
    let edits = 0;
    const contested: typeof imports = {
      ...imports,
      write(...values) {
        if (edits++ < times) database.writer.run(edit);
        return imports.write(...values);
      },
    };
    const update = () => importing({ columns: columnsOf([], [], "reference") }, Infinity, contested);
    return { update, animals, rejected: () => readFileSync(`${path}.rejected`, "utf8") };
  };

  test("when another client changes their animal in the meantime", async () => {
    const { update, animals, rejected } = await updating("UPDATE pets SET status = 'sold' WHERE id = 1", 1);
    expect(await update()).toMatchObject({ read: 3, updated: 2, rejected: 1, done: true });
    expect(animals("coalesce(status, '-')")).toEqual(["Bello|sold", "Tommy|-"]);
    expect(rejected().split("\n")).toHaveLength(3);
  });

  test("and about the absent animals of a page", async () => {
    const { importing, animals, database, imports, path } = place(
      `${HEADER}A-1,Bella,1\nA-2,Tom,1\nA-3,Rex,1\n`,
    );
    await importing();
    writeFileSync(path, `${HEADER}A-1,Bella,1\n`);
    let isAbsent = false;
    const contested: typeof imports = {
      ...imports,
      write(...values) {
        if (isAbsent) database.writer.run("UPDATE pets SET status = 'sold' WHERE id = 3 AND status IS NULL");
        isAbsent = true;
        return imports.write(...values);
      },
    };
    const options: Partial<ImportOptions> = {
      columns: columnsOf([], [], "reference"),
      missing: "adopted",
      isConfirmed: true,
    };
    expect(await importing(options, Infinity, contested)).toMatchObject({ absent: 1, done: true });
    expect(animals("coalesce(status, '-')")).toEqual(["Bella|-", "Tom|sold", "Rex|sold"]);
  });

  test("a limited number of times", async () => {
    const { update } = await updating("UPDATE pets SET updated_at = coalesce(updated_at, 0) + 1", Infinity);
    expect(await outcomeOf(update())).toThrow("was changed in the meantime");
  });
});

/** Every other row is invalid: `Bad 1`, `Bad 3` and so on. */
const half = (rows: number): string =>
  `name,categoryId\n${Array.from({ length: rows }, (_, row) => (row % 2 ? `Bad ${row},x\n` : `Good ${row},1\n`)).join("")}`;
const ROWS = 20_000;

const expectAllRejected = (text: string) => {
  expect(text).toStartWith("name,categoryId,line,reason\n");
  expect(text).not.toContain("\0");
  const names = [...text.matchAll(/^Bad (\d+),x,\d+,/gm)].map(([, row]) => Number(row));
  expect(names).toEqual(Array.from({ length: ROWS / 2 }, (_, row) => 2 * row + 1));
};

describe("of two concurrent imports", () => {
  test("the second does not touch the rejected rows of the first", async () => {
    const { path, importing, imports } = place(half(ROWS));
    await importing({}, 1000);
    const rejected = readFileSync(`${path}.rejected`, "utf8");
    appendFileSync(`${path}.rejected`, "what the first is writing");
    {
      using _ = imports.hold(imports.all()[0]?.id ?? 0);
      for (const reimport of [false, true])
        expect(await outcomeOf(importing({ reimport }))).toThrow("another import of this file is running");
    }
    expect(readFileSync(`${path}.rejected`, "utf8")).toBe(`${rejected}what the first is writing`);
    expect(await importing()).toMatchObject({ read: ROWS, rejected: ROWS / 2, done: true });
    expectAllRejected(readFileSync(`${path}.rejected`, "utf8"));
  });

  test("only one writes, whichever started first", async () => {
    const { path, importing, animals } = place(half(ROWS));
    const runs = await Promise.allSettled([importing(), importing(), importing()]);
    expect(runs.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(animals()).toHaveLength(ROWS / 2);
    expectAllRejected(readFileSync(`${path}.rejected`, "utf8"));
  });

  test("one that has finished since the other looked for it stops the other", async () => {
    const { path, imports, importing, animals } = place("name,categoryId\nBella,1\n");
    await importing();
    const late = importing({ rejected: `${path}.2` }, Infinity, { ...imports, all: () => [] });
    expect(await outcomeOf(late)).toThrow("another import of this file is running");
    expect(animals()).toEqual(["Bella|1"]);
  });

  test("both write if their files are different", async () => {
    const one = place(half(ROWS));
    const other = `${one.path}.other.csv`;
    writeFileSync(other, "name,categoryId\nBella,1\n");
    const [first, second] = await Promise.all([
      one.importing(),
      one.importing({ path: other, rejected: `${other}.rejected` }),
    ]);
    expect([first.added, second.added]).toEqual([ROWS / 2, 1]);
  });

  test("no lock file is left, except where one was killed", async () => {
    const { data, importing, imports } = place(half(ROWS));
    await importing({}, 1000);
    const locks = () => readdirSync(data).filter((name) => name.endsWith(".lock"));
    expect(locks()).toEqual([]);
    const [stopped] = imports.all();
    writeFileSync(join(data, `import-${stopped?.id}.lock`), "");
    await importing();
    expect(locks()).toEqual([]);
  });
});

test("a stopped import --again continues where it ended, like any other", async () => {
  const { path, importing, animals } = place(half(ROWS));
  await importing();
  rmSync(`${path}.rejected`);
  const { read } = await importing({ reimport: true }, 1000);
  expect(read).toBeLessThan(ROWS);
  expect(await importing({ reimport: true })).toMatchObject({ before: read, read: ROWS, done: true });
  expect(animals()).toHaveLength(ROWS);
  expectAllRejected(readFileSync(`${path}.rejected`, "utf8"));
});

test("--again forgets a stopped import of a file that has changed since", async () => {
  const { path, importing } = place(half(ROWS));
  const { rejected } = await importing({}, 10_000);
  writeFileSync(path, half(ROWS).replace("Good 6000,1", "Good 6000,7"));
  expect(await outcomeOf(importing())).toThrow(/these rows have changed since/);
  const anew = await importing({ reimport: true, rejected: `${path}.2` });
  expect([rejected > 0, anew.before, anew.read]).toEqual([true, 0, ROWS]);
});

describe("an import that continues", () => {
  test("does not overwrite a file that is not its own", async () => {
    const { cwd, path, importing, animals } = place(half(ROWS));
    const { added } = await importing({}, 1000);
    const precious = join(cwd, "precious.txt");
    writeFileSync(precious, "notes");
    expect(await outcomeOf(importing({ rejected: precious }))).toThrow(/precious\.txt exists/);
    expect(readFileSync(precious, "utf8")).toBe("notes");
    expect(animals()).toHaveLength(added);
    expect(await importing()).toMatchObject({ read: ROWS, done: true });
    expectAllRejected(readFileSync(`${path}.rejected`, "utf8"));
  });

  test("reports the file of earlier rejected rows if another one is named, and continues in that one", async () => {
    const { path, importing } = place(half(ROWS));
    const first = await importing({}, 1000);
    const second = await importing({ rejected: `${path}.2` }, 5000);
    expect(second.notes.join()).toContain(basename(`${path}.rejected`));
    await importing({ rejected: `${path}.2` });
    const [one, other] = [`${path}.rejected`, `${path}.2`].map((file) =>
      readFileSync(file, "utf8").trimEnd().split("\n"),
    );
    expect(one).toHaveLength(first.rejected + 1);
    expect(other).toHaveLength(ROWS / 2 - first.rejected + 1);
    expect(other?.[0]).toBe("name,categoryId,line,reason");
  });

  test("recognizes its file by another path, and creates it again if it was removed", async () => {
    const { cwd, path, importing } = place(half(ROWS));
    await importing({}, 1000);
    const { rejected } = await importing({ rejected: `${cwd}/data/../a.csv.rejected` }, 5000);
    const lines = () => readFileSync(`${path}.rejected`, "utf8").trimEnd().split("\n");
    expect(lines()).toHaveLength(rejected + 1);
    rmSync(`${path}.rejected`);
    const { notes, rejectedBefore } = await importing();
    expect(notes.join()).toContain(`the rows that it rejected are no longer in ${basename(path)}.rejected`);
    expect(rejectedBefore).toBe(rejected);
    expect(lines()).toHaveLength(ROWS / 2 - rejected + 1);
    expect(lines()[0]).toBe("name,categoryId,line,reason");
  });

  test.each([
    ["mended", (text: string) => text.replace("Bad 1,x", "Bad 1,1")],
    ["mended to the same length", (text: string) => text.replace("Bad 1,x", "Bad 1,7")],
    ["cut", (text: string) => text.slice(0, 100)],
    ["emptied", () => ""],
  ])("does not write to its file of rejected rows if that was %s meanwhile", async (_, edit) => {
    const { path, importing, animals } = place(half(ROWS));
    const { added, rejected } = await importing({}, 1000);
    const file = `${path}.rejected`;
    const edited = edit(readFileSync(file, "utf8"));
    writeFileSync(file, edited);
    expect(await outcomeOf(importing())).toThrow(
      /has changed since the earlier import wrote it: .* --rejected/,
    );
    expect([readFileSync(file, "utf8"), animals().length]).toEqual([edited, added]);
    expect(await importing({ rejected: `${path}.2` })).toMatchObject({ read: ROWS, rejected: ROWS / 2 });
    expect(readFileSync(`${path}.2`, "utf8").match(/^Bad /gm)).toHaveLength(ROWS / 2 - rejected);
  });

  test("reports a file of rejected rows that cannot be created", async () => {
    const { cwd, importing } = place(half(10));
    expect(await outcomeOf(importing({ rejected: join(cwd, "none", "x") }))).toThrow(/x cannot be written: /);
  });

  test("does not touch a file in the place of its rejected rows if it never created one", async () => {
    const { path, importing } = place(`name,categoryId\n${"Good,1\n".repeat(1000)}Bad,x\n`);
    await importing({}, 500);
    writeFileSync(`${path}.rejected`, "notes");
    expect(await outcomeOf(importing())).toThrow(/rejected exists/);
    expect(readFileSync(`${path}.rejected`, "utf8")).toBe("notes");
  });

  test("starts at its first row again if it was killed before that was added", async () => {
    const { importing, imports, path } = place(`name,categoryId\n${"x".repeat(2 * CHUNK)}\nRex,1\n`);
    const write = () => Promise.reject(new Error("killed"));
    expect(await outcomeOf(importing({}, Infinity, { ...imports, write }))).toThrow("killed");
    expect(await importing()).toMatchObject({ read: 2, added: 1, rejected: 1, before: 0, done: true });
    expect(readFileSync(`${path}.rejected`, "utf8").match(/^x/gm)).toHaveLength(1);
  });

  test("knows the animals that it added before it was stopped", async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => `Animal ${index},1,R-${index}\n`).join("");
    const { importing, animals } = place(`name,categoryId,reference\n${rows}Again,1,R-0\n`);
    expect(await importing({}, 1)).toMatchObject({ done: false });
    expect(await importing()).toMatchObject({
      done: true,
      read: 3001,
      added: 3000,
      repeated: 1,
      rejected: 0,
    });
    expect(animals()).toHaveLength(3000);
  });
});
