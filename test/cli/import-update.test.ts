import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../support/store.ts";
import { placing } from "./placed.ts";
import { expectFailure, inProcessIn } from "./program.ts";
import { type StoredAnimal, storedAnimals } from "./stored-animals.ts";

const FIRST = `Animal ID,Name,Species,Status,Breed,Weight lb,Coat
A-1,Bella,Dog,available,Beagle,20,short
A-2,Tom,Cat,available,Siamese,9,
A-3,Rex,Dog,pending,Boxer,60,
A-4,Luna,Cat,available,,,long
`;

const KEY = ["--update", "--key", "Animal ID"];

type Four = [StoredAnimal, StoredAnimal, StoredAnimal, StoredAnimal];

/** A store with the animals of a file, and its next files. */
const imported = async (text = FIRST) => {
  const place = placing(inProcessIn)(text);
  await place.importing("--create-categories", "--create-fields");
  const { cwd } = place;
  const next = async (file: string, ...flags: string[]) => {
    await Bun.write(join(cwd, "next.csv"), file);
    return inProcessIn(cwd, ["import", "next.csv", ...flags]);
  };
  /** The four animals, and those that were added. */
  const stored = () => storedAnimals(cwd) as [...Four, ...StoredAnimal[]];
  return { cwd, next, stored };
};

const edit = (cwd: string, sql: string): void => {
  using database = new Database(join(cwd, "data", "adoption-store.db"));
  database.run(sql);
};

describe("an update", () => {
  test("changes the changed rows, adds the new ones, and names the absent ones", async () => {
    const { next, stored } = await imported();
    const before = stored();
    const { code, out } = await next(
      `Animal ID,Name,Species,Status,Breed,Weight lb,Coat
A-1,Bella,Dog,adopted,Beagle,21,short
A-2,Tom,Cat,available,Siamese,9,
A-4,Luna II,Cat,available,Persian,,curly
A-5,Max,Dog,available,Pug,,
`,
      ...KEY,
    );
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^Absent: Rex \(animal 3\)\n4 rows read: 1 added, 2 changed, 1 unchanged, 0 rejected; 1 animal in the store is not in the file \(/,
      ),
    ]);
    expect(stored()).toEqual([
      { ...before[0], status: "sold", weightGrams: 9525 },
      before[1],
      before[2],
      { ...before[3], name: "Luna II", breeds: ["Persian"], "custom.coat": "curly" },
      { id: 5, name: "Max", category: "Dog", status: "available", reference: "A-5", breeds: ["Pug"] },
    ]);
  });

  test("of the same file changes nothing, and may be repeated", async () => {
    const { cwd, next, stored } = await imported();
    const before = stored();
    for (let time = 0; time < 2; time++)
      expect((await next(FIRST, ...KEY)).out).toStartWith(
        "4 rows read: 0 added, 0 changed, 4 unchanged, 0 rejected (",
      );
    expect(stored()).toEqual(before);
    using database = new Database(join(cwd, "data", "adoption-store.db"), { readonly: true });
    expect(database.query("SELECT updated_at FROM pets WHERE updated_at IS NOT NULL").all()).toEqual([]);
  });

  test("keeps the values of empty cells, and of columns that the file does not have", async () => {
    const { next, stored } = await imported();
    const [bella, ...others] = stored();
    const { out } = await next("Animal ID,Name,Status,Breed,Sex\nA-1,,,,F\n", ...KEY);
    expect(out).toContain(
      "1 row read: 0 added, 1 changed, 0 unchanged, 0 rejected; 3 animals in the store are not in the file (",
    );
    expect(stored()).toEqual([{ ...bella, sex: "female" }, ...others]);
  });

  test("rejects rows without a key, new rows that are incomplete, and further rows of an animal", async () => {
    const { cwd, next, stored } = await imported();
    const before = stored();
    const { code, error, out } = await next(
      "Animal ID,Name\n,Max\nA-9,Kim\nA-1,Bello\nA-1,Other\n",
      ...KEY,
      "--missing",
      "delete",
    );
    expect(code).toBe(1);
    expect(error).toContain("line 2: reference: is empty; an update finds the animal of each row by it");
    expect(error).toContain("line 3: categoryId: is required");
    expect(error).toContain('line 5: repeats the reference "A-1" of line 4 with another name: correct or');
    expect(error).toContain(
      "1 row without a usable key: the absent animals cannot be determined: correct these rows first",
    );
    expect(out).toContain(
      "4 rows read: 0 added, 1 changed, 0 unchanged, 3 rejected, see next.csv.rejected (",
    );
    expect(stored()).toEqual([{ ...before[0], name: "Bello" }, before[1], before[2], before[3]]);
    expect(existsSync(join(cwd, "next.csv.rejected"))).toBe(true);
  });

  test("finds animals by the ids of an export, and adds none", async () => {
    const { next, stored } = await imported();
    const before = stored();
    const { error } = await next(
      "id,name,categoryId,reference\n2,Tommy,,A-2\n3,,,A-1\n9,Kim,,\n4,,,B-4\n",
      "--update",
      "--key",
      "id",
      "--missing",
      "delete",
    );
    expect(error).toContain('line 3: reference: another animal has "A-1"');
    expect(error).toContain('line 4: id: there is no animal "9"; import new animals without --update');
    expect(stored()).toEqual([
      before[0],
      { ...before[1], name: "Tommy" },
      before[2],
      { ...before[3], reference: "B-4" },
    ]);
    expect(error).toContain("1 row without a usable key: the absent animals cannot be determined");
  });

  test.each([
    [["--key", "ID"]],
    [["--key", "id"]],
    [["--key", "ID", "--map", "ID=reference"]],
    [["--key", "reference"]],
  ])("finds animals by the column ID of another program as a reference: %p", async (flags) => {
    const { next, stored } = await imported("ID,Name,Species\n2,Bella,Dog\n1,Tom,Cat\n");
    expect(stored().map(({ reference }) => reference)).toEqual(["2", "1"]);
    await next("ID,Name,Species\n2,Bello,Dog\n", "--update", ...flags);
    expect(stored().map(({ name }) => name)).toEqual(["Bello", "Tom"]);
  });

  test("refuses to swap references, and names two steps that do it", async () => {
    const { next, stored } = await imported();
    let updates = 0;
    const update = (first: string, second: string) =>
      next(
        `id,name,categoryId,reference\n1,,,${first}\n2,,,${second}\n`,
        "--update",
        "--key",
        "id",
        "--rejected",
        `${++updates}.csv`,
      );
    const references = () => stored().map(({ reference }) => reference);
    expect((await update("A-2", "A-1")).error).toContain(
      'line 2: reference: another animal has "A-2": give that one another reference first; to swap references, import temporary ones for both rows, and then this file again',
    );
    expect(references()).toEqual(["A-1", "A-2", "A-3", "A-4"]);
    await update("X-1", "X-2");
    expect((await update("A-2", "A-1")).code).toBe(0);
    expect(references()).toEqual(["A-2", "A-1", "A-3", "A-4"]);
  });

  test("finds animals by the ids in a column that is mapped to id", async () => {
    const { next, stored } = await imported();
    for (const [key, name] of [
      ["id", "Bello"],
      ["Nr", "Bellini"],
    ] as const) {
      const { code } = await next(`Nr,Name\n1,${name}\n`, "--update", "--key", key, "--map", "Nr=id");
      expect([code, stored()[0].name]).toEqual([0, name]);
    }
  });

  test("finds the custom fields of similar headers again", async () => {
    const { next, stored } = await imported(
      "Animal ID,Name,Species,Foster Home,Foster-Home\nA-1,Bella,Dog,a,b\n",
    );
    const file = "Animal ID,Foster-Home,Foster Home\nA-1,d,c\n";
    expect((await next(file, ...KEY, "--create-fields")).error).toBe("");
    expect(stored()).toMatchObject([{ "custom.fosterHome": "c", "custom.fosterHome2": "d" }]);
  });

  test("finds the animal of a reference whose letters are composed in another way", async () => {
    const { next, stored } = await imported("Animal ID,Name,Species\nZoe\u0308-1,Bella,Dog\n");
    expect(stored()[0]["reference"]).toBe("Zo\u00eb-1");
    for (const id of ["Zo\u00eb-1", "Zoe\u0308-1"])
      expect((await next(`Animal ID,Name\n${id},Bella\n`, ...KEY)).out).toContain("0 changed, 1 unchanged");
  });

  test("leaves the status of an animal that an open order holds", async () => {
    const { cwd, next, stored } = await imported();
    edit(
      cwd,
      "INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (7, 3, 'placed', 0, 0)",
    );
    const { error } = await next("Animal ID,Status\nA-3,available\n", ...KEY);
    expect(error).toContain("line 2: status: order 7 holds animal 3: complete or cancel the order first");
    expect(stored()[2]).toMatchObject({ status: "pending" });
  });

  test("makes absent animals adopted, except those that an open order holds", async () => {
    const { cwd, next, stored } = await imported();
    edit(
      cwd,
      "INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (7, 3, 'placed', 0, 0)",
    );
    const { error, out } = await next("Animal ID\nA-1\n", ...KEY, "--missing", "adopted");
    expect(out).toContain("3 animals in the store are not in the file");
    expect(error).toContain("2 absent animals marked as adopted\n");
    expect(error).toContain("1 absent animal left unchanged because of open orders");
    expect(stored().map(({ status }) => status)).toEqual(["available", "sold", "pending", "sold"]);
  });

  test("deletes absent animals, except those with orders or photos, and no adopted or newer ones", async () => {
    const { cwd, next, stored } = await imported();
    edit(cwd, "UPDATE pets SET status = 'sold' WHERE id = 4");
    edit(
      cwd,
      "INSERT INTO orders (id, pet_id, status, created_at, updated_at) VALUES (7, 3, 'cancelled', 0, 0)",
    );
    const { error } = await next(
      "Animal ID,Name,Species\nA-1,,\nA-5,Max,Dog\n",
      ...KEY,
      "--missing",
      "delete",
    );
    expect(error).toContain("1 absent animal kept: animals with orders or photos are never deleted");
    expect(stored().map(({ name }) => name)).toEqual(["Bella", "Rex", "Luna", "Max"]);
  });

  test("acts on more than half of all animals only with --yes, in the same import", async () => {
    const { cwd, next, stored } = await imported();
    const rows = Array.from({ length: 20 }, (_, at) => `B-${at},Pet ${at},Dog\n`).join("");
    await next(`Animal ID,Name,Species\n${rows}`, ...KEY);
    const file = `Animal ID,Name\n${"A-1,B-0,B-1".replaceAll(",", ",\n")},\n`;
    const refused = await next(file, ...KEY, "--missing", "delete");
    expect([refused.code, refused.error]).toEqual([
      1,
      expect.stringContaining("21 of 24 animals are not in the file, so none was deleted"),
    ]);
    expect(stored()).toHaveLength(24);
    const { error, out } = await next(file, ...KEY, "--missing", "delete", "--yes");
    expect([error, out]).toEqual([
      expect.stringContaining("21 absent animals deleted\n"),
      expect.stringContaining("import 3)"),
    ]);
    expect((await inProcessIn(cwd, ["import", "--undo"])).out).toContain("21 re-created");
    expect(stored()).toHaveLength(24);
  });

  test("--dry-run shows the differences as a table, and writes nothing", async () => {
    const { cwd, next, stored } = await imported();
    const before = stored();
    const file =
      "Animal ID,Name,Species,Status,Breed\nA-1,Bella,Dog,adopted,Pug\nA-2,Tom,Cat,,\nA-4,,,,\nA-5,Max,Dog,,\n";
    const { code, out } = await next(file, ...KEY, "--dry-run");
    expect([code, out.split("\n").slice(0, 6)]).toEqual([
      0,
      [
        "LINE  ANIMAL          CHANGE",
        "2     Bella           status: available → adopted",
        '2     Bella           breeds: ["Beagle"] → ["Pug"]',
        "5     Max             added",
        "-     Rex (animal 3)  absent",
        "",
      ],
    ]);
    expect(out).toContain(
      "4 rows read: 1 would be added, 1 would be changed, 2 unchanged, 0 would be rejected; 1 animal",
    );
    for (const [missing, fate] of [
      ["delete", "absent: would be deleted"],
      ["adopted", "absent: would be adopted"],
    ] as const)
      expect((await next(file, ...KEY, "--dry-run", "--missing", missing)).out).toContain(
        `Rex (animal 3)  ${fate}\n`,
      );
    const { preview, absentAnimals } = JSON.parse((await next(file, ...KEY, "--dry-run", "--json")).out);
    expect(absentAnimals).toEqual([{ id: 3, name: "Rex" }]);
    expect(preview[0]).toMatchObject({
      id: 1,
      line: 2,
      changes: [
        { member: "status", from: "available", to: "sold" },
        { member: "breeds", from: ["Beagle"], to: ["Pug"] },
      ],
    });
    expect(stored()).toEqual(before);
    expect(existsSync(join(cwd, "next.csv.rejected"))).toBe(false);
  });

  test("--dry-run names the categories of an animal that gets another", async () => {
    const { next } = await imported();
    const { out } = await next("Animal ID,Species\nA-1,Rabbit\n", ...KEY, "--create-categories", "--dry-run");
    expect(out).toContain("category: Dog → Rabbit (new)\n");
  });

  /** An update that was killed after its rows, one of which was rejected. */
  const interrupted = async () => {
    const place = await imported();
    const file = `${FIRST.replace("Bella", "Bello")}A-9,,,,,,\n`;
    await place.next(file, ...KEY);
    edit(place.cwd, "UPDATE imports SET finished_at = NULL WHERE id = 2");
    const rejected = join(place.cwd, "next.csv.rejected");
    return { ...place, again: () => place.next(file, ...KEY), rejected };
  };

  test("that was interrupted is started again, and one undo restores the animals of both runs", async () => {
    const { cwd, again, stored, rejected } = await interrupted();
    const lines = readFileSync(rejected, "utf8");
    expect((await again()).out).toStartWith("5 rows read: 0 added, 0 changed, 4 unchanged, 1 rejected");
    expect(readFileSync(rejected, "utf8")).toBe(lines);
    expect((await inProcessIn(cwd, ["import", "--undo"])).out).toContain("1 restored");
    expect(stored()[0].name).toBe("Bella");
    using database = new Database(join(cwd, "data", "adoption-store.db"), { readonly: true });
    expect(database.query("SELECT count(*) AS open FROM imports WHERE finished_at IS NULL").get()).toEqual({
      open: 0,
    });
  });

  test("that was interrupted keeps a file of rejected rows that was corrected since", async () => {
    const { again, rejected } = await interrupted();
    appendFileSync(rejected, "A-10,Max,Dog,,,,\n");
    const corrected = readFileSync(rejected, "utf8");
    expectFailure(await again(), 1, "next.csv.rejected has changed since the earlier import wrote it");
    expect(readFileSync(rejected, "utf8")).toBe(corrected);
  });
});

test("lists find imported and changed animals by the words of their profiles, and events name the profile", async () => {
  const { cwd, next } = await imported();
  await next("Animal ID,Breed\nA-2,Persian\n", ...KEY);
  const store = await openStore({ path: join(cwd, "data", "adoption-store.db") });
  const names = async (query: string) =>
    ((await (await store.call("GET", `/v1/pets?${query}`)).json()) as StoredAnimal[]).map(({ name }) => name);
  expect([
    await names("reference=A-3"),
    await names("q=beagle"),
    await names("q=persian"),
    await names("q=siamese"),
  ]).toEqual([["Rex"], ["Bella"], ["Tom"], []]);
  const parts = store.database.client
    .query("SELECT kind, pet_id AS id, part FROM pet_events WHERE kind <> 'added'")
    .all();
  expect(parts).toEqual([{ kind: "changed", id: 2, part: "profile" }]);
});

test.each([
  [["--update"], "--update needs --key: the column that identifies each animal"],
  [["--key", "Animal ID"], "--key works only with --update"],
  [["--missing", "delete"], "--missing works only with --update"],
  [["--map", "Coat=id"], "--map: id works only with --update --key id"],
  [["--update", "--key", "Animal ID", "--map", "Coat=id"], "--map: id works only with --update --key id"],
  [["--update", "--key", "name"], '--key: "name" is the name, which several animals may have'],
])("%p are refused", async (flags, message) => {
  expectFailure(await placing(inProcessIn)(FIRST).importing(...flags), 2, message);
});

test("a key that the file does not have is refused", async () => {
  const { next } = await imported();
  expectFailure(
    await next("name\nBella\n", "--update", "--key", "Code"),
    1,
    'names the column "Code", which the file does not have',
  );
  expectFailure(await next("name\nBella\n", "--update", "--key", "id"), 1, "no column matches id; found");
});
