import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Call, type Store, addPet, faultOf, messageOf, openStore } from "../../support/store.ts";

const IMPORTS = "/v1/imports";
const FILE = `Animal ID,Animal Name,Species,Size,Foster Home
A-1,Bella,Dog,small,Ms Byron
A-2,Max,Dog,Toy,
A-3,Luna,Cat,large,
`;
/** A week later: Bella has grown, Max is gone, and Zoe is new. */
const NEXT_WEEK = `Animal ID,Animal Name,Species,Size,Foster Home
A-1,Bella,Dog,medium,Ms Byron
A-3,Luna,Cat,large,
A-4,Zoe,Cat,small,
`;
const NEW = "createCategories=true&name=animals.csv";
const UPDATE = "update=true&key=Animal%20ID&createCategories=true&name=next.csv";

interface Report {
  id?: number;
  read: number;
  added: number;
  updated: number;
  unchanged: number;
  rejected: number;
  absent: number;
  columns: { name: string; field: string | null; samples: string[] }[];
  createdCategories: string[];
  createdFields: string[];
  notes: string[];
  preview: { line: number; id?: number; name: string; category?: string; changes?: unknown[] }[];
  rejectedRows: { line: number; reason: string; cells: string[] }[];
  unknownValues: unknown[];
  absentAnimals: unknown[];
}

let opened: Store[] = [];

const open = async (...settings: Parameters<typeof openStore>): Promise<Store> => {
  const store = await openStore(...settings);
  opened.push(store);
  return store;
};

/** The files of uploads that are still there. */
const uploadsOf = ({ config }: Store): string[] => {
  const directory = join(config.dataDir, "import-uploads");
  return existsSync(directory) ? readdirSync(directory) : [];
};

const receivedBytes = (store: Store): number => {
  const [name] = uploadsOf(store);
  return name === undefined ? 0 : statSync(join(store.config.dataDir, "import-uploads", name)).size;
};

// Whatever a test does, its uploads leave no file.
afterEach(() => {
  expect(opened.flatMap(uploadsOf)).toEqual([]);
  opened = [];
});

const send = (store: Store, query = "", body: Call["body"] = FILE, call: Omit<Call, "body"> = {}) =>
  store.call("POST", `${IMPORTS}?${query}`, {
    body,
    ...call,
    headers: { "content-type": "text/csv", ...call.headers },
  });

const importing = async (store: Store, query?: string, body?: string, call?: Call): Promise<Report> => {
  const response = await send(store, query, body, call);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Report;
};

const get = async (store: Store, path: string): Promise<unknown> => (await store.call("GET", path)).json();

/** Each animal with its size. */
const animalsOf = async (store: Store): Promise<string[]> => {
  const pets = (await get(store, "/v1/pets?include=profile")) as {
    name: string;
    profile: { size?: string };
  }[];
  return pets.map(({ name, profile }) => `${name} ${profile.size}`);
};

const undo = (store: Store, id: number | undefined, key?: string) =>
  store.call("POST", `${IMPORTS}/${id}/undo`, key === undefined ? {} : { key });

test("a dry run shows the columns and the changes, and writes nothing", async () => {
  const store = await open();
  const response = await send(store, `dryRun=true&${NEW}`);
  expect([response.status, response.headers.get("location")]).toEqual([200, null]);
  const report = (await response.json()) as Report;
  expect(report).toMatchObject({ read: 3, added: 2, rejected: 1, createdCategories: ["Dog", "Cat"] });
  expect(report.id).toBeUndefined();
  expect(report.columns).toEqual([
    { name: "Animal ID", field: "reference", samples: ["A-1", "A-2", "A-3"] },
    { name: "Animal Name", field: "name", samples: ["Bella", "Max", "Luna"] },
    { name: "Species", field: "category", samples: ["Dog", "Cat"] },
    { name: "Size", field: "size", samples: ["small", "Toy", "large"] },
    { name: "Foster Home", field: null, samples: ["Ms Byron"] },
  ]);
  expect(report.preview).toEqual([
    { line: 2, name: "Bella", category: "Dog" },
    { line: 4, name: "Luna", category: "Cat" },
  ]);
  expect(report.notes.join("\n")).toContain("add createFields");
  expect([
    await get(store, "/v1/pets"),
    await get(store, "/v1/categories"),
    await get(store, IMPORTS),
  ]).toEqual([[], [], []]);
});

test("an import adds its valid rows, and returns the cells of a rejected one", async () => {
  const store = await open();
  const response = await send(store, `${NEW}&createFields=true`);
  expect([response.status, response.headers.get("location")]).toEqual([201, `${IMPORTS}/1`]);
  const report = (await response.json()) as Report;
  expect(report).toMatchObject({ id: 1, added: 2, rejected: 1, createdFields: ["fosterHome"], preview: [] });
  expect(report.rejectedRows).toEqual([
    {
      line: 3,
      reason: expect.stringContaining("size: must be one of small"),
      cells: ["A-2", "Max", "Dog", "Toy", ""],
    },
  ]);
  expect(await animalsOf(store)).toEqual(["Bella small", "Luna large"]);
  expect(await get(store, IMPORTS)).toEqual([await get(store, `${IMPORTS}/1`)]);
  expect(await get(store, `${IMPORTS}/1`)).toEqual({
    id: 1,
    file: "animals.csv",
    startedAt: "2026-11-20T00:00:00.000Z",
    finishedAt: "2026-11-20T00:00:00.000Z",
    read: 3,
    added: 2,
    updated: 0,
    unchanged: 0,
    rejected: 1,
    absent: 0,
    canUndo: true,
  });
});

test("the unknown values of a file are listed, and `value` translates each", async () => {
  const store = await open();
  const file = `${FILE}A-4,Zoe,Cat,Toy,\nA-5,Kim,Cat,Huge,\n`;
  const { unknownValues, notes } = await importing(store, `dryRun=true&${NEW}`, file);
  expect(unknownValues).toEqual([
    { field: "size", value: "Toy", rows: 2 },
    { field: "size", value: "Huge", rows: 1 },
  ]);
  expect(notes.join("\n")).toContain('add value="size:Toy=SIZE" value="size:Huge=SIZE"');
  const query = `${NEW}&value=size:Toy%3Dsmall&value=size:Huge%3Dextra_large`;
  expect(await importing(store, query, file)).toMatchObject({ added: 5, rejected: 0, unknownValues: [] });
});

test("the columns are those that `map` names, also with commas and brackets", async () => {
  const store = await open();
  const file = '"[Name], of it",Kind,Number\nBella,Dog,A-1\n';
  const map = (text: string) => `map=${encodeURIComponent(text)}`;
  const query = `${NEW}&${map("[Name], of it=name")}&${map("Kind=category")}&${map("Number=ignore")}`;
  const { columns } = await importing(store, query, file);
  expect(columns.map(({ field }) => field)).toEqual(["name", "category", null]);
});

test("next week's file changes exactly what differs, and its undo restores it", async () => {
  const store = await open();
  await importing(store, `${NEW}&value=size:Toy%3Dsmall`);
  const before = await animalsOf(store);
  store.clock.advance(60_000);
  const dry = await importing(store, `dryRun=true&${UPDATE}`, NEXT_WEEK);
  const counts = { read: 3, added: 1, updated: 1, unchanged: 1, rejected: 0, absent: 1 };
  expect(dry).toMatchObject({ ...counts, absentAnimals: [{ id: 2, name: "Max" }] });
  expect(dry.preview).toEqual([
    {
      line: 2,
      id: 1,
      name: "Bella",
      category: "Dog",
      changes: [{ member: "size", from: "small", to: "medium" }],
    },
    { line: 4, name: "Zoe", category: "Cat" },
  ]);
  const { id } = await importing(store, UPDATE, NEXT_WEEK);
  expect(await get(store, `${IMPORTS}/${id}`)).toMatchObject({ file: "next.csv", ...counts });
  expect(await animalsOf(store)).toEqual(["Bella medium", "Max small", "Luna large", "Zoe small"]);
  const undone = await undo(store, id);
  expect([undone.status, await undone.json()]).toEqual([200, { id, deleted: 1, restored: 1, readded: [] }]);
  expect(await animalsOf(store)).toEqual(before);
  expect(await get(store, `${IMPORTS}/${id}`)).toMatchObject({
    undoneAt: "2026-11-20T00:01:00.000Z",
    canUndo: false,
  });
  expect(await messageOf(await undo(store, id))).toMatch(/was undone on [^:]*:[^:]*:[^:]*$/);
});

test("an undo is refused with the name of an animal that has changed since", async () => {
  const store = await open();
  const { id } = await importing(store, NEW);
  store.clock.advance(60_000);
  await store.call("PATCH", "/v1/pets/1", { json: { name: "Bella Rossa" } });
  const refused = await undo(store, id);
  expect(await messageOf(refused.clone() as Response)).toMatch(
    /^Bella Rossa \(animal 1\) was changed since the import/,
  );
  expect(await faultOf(refused)).toBe("409 undo_refused");
  expect(await faultOf(await undo(store, 999))).toBe("404 not_found");
});

test("a range of 250 new animals is undone in parts", async () => {
  const store = await open();
  const rows = Array.from({ length: 250 }, (_, index) => `Bella ${index},Dog\n`).join("");
  const { id } = await importing(store, NEW, `name,category\n${rows}`);
  await addPet(store, { name: "Max" });
  // The command line stores larger ranges.
  store.database.client.run("DELETE FROM import_changes WHERE id > 1");
  store.database.client.run("UPDATE import_changes SET to_id = 250");
  expect(await (await undo(store, id)).json()).toEqual({ id, deleted: 250, restored: 0, readded: [] });
  expect(await animalsOf(store)).toEqual(["Max undefined"]);
});

test("a file that was imported is refused, unless `again` is set", async () => {
  const store = await open();
  await importing(store, NEW, "name,category\nBella,Dog\n");
  const refused = await send(store, NEW, "name,category\nBella,Dog\n");
  expect(await messageOf(refused.clone() as Response)).toBe(
    "animals.csv was already imported on 2026-11-20T00:00:00Z (1 animal): add again=true to import it once more",
  );
  expect(await faultOf(refused)).toBe("409 already_imported");
  expect(await faultOf(await send(store, `${NEW}&dryRun=true`, "name,category\nBella,Dog\n"))).toBe(
    "409 already_imported",
  );
  expect(await importing(store, `${NEW}&again=true`, "name,category\nBella,Dog\n")).toMatchObject({
    id: 2,
    added: 1,
  });
});

test("names of inherited properties are columns like others", async () => {
  const store = await open();
  const rows = '{"name":"Bella","categoryId":3,"constructor":"x"}\n{"name":"Max"}\n';
  const call = { headers: { "content-type": "application/x-ndjson" } };
  const { rejectedRows } = await importing(store, "", rows, call);
  expect(rejectedRows).toMatchObject([{ line: 2, cells: ["Max", "", ""] }]);
});

test("a refused file creates no custom field", async () => {
  const store = await open();
  await importing(store, NEW, "name,category\nBella,Dog\n");
  const file = "name,category,Coat\n";
  expect(await faultOf(await send(store, `${NEW}&createFields=true`, file))).toBe("400 import_refused");
  expect(await (await store.call("GET", "/v1/fields")).json()).toEqual([]);
});

test("a dry run warns of an update that would be refused because most animals are absent", async () => {
  const store = await open();
  const rows = Array.from({ length: 20 }, (_, at) => `B-${at},Pet ${at},Dog\n`).join("");
  await importing(store, NEW, `Animal ID,Name,Species\n${rows}`);
  const { notes } = await importing(store, `${UPDATE}&missing=delete&dryRun=true`, "Animal ID,Name\nB-0,\n");
  expect(notes).toContainEqual(expect.stringContaining("19 of 20 animals are not in the file"));
});

test.each([
  [
    "without a column of names",
    "a,b\n1,2\n",
    "",
    /^no column matches name or category; found "a", "b": map one with map="COLUMN=name"$/,
  ],
  ["that is a spreadsheet", "PK\u0003\u0004", "", /choose Save As/],
  [
    "with references of the store",
    FILE.replace("Toy", "small"),
    "",
    /update them with update=true key="Animal ID"$/,
  ],
  [
    "of an update without most animals",
    "Animal ID,Size\nA-0,small\n",
    "update=true&key=Animal%20ID&missing=delete",
    /send the request again with confirmed=true$/,
  ],
])("a file %s is refused with the remedy", async (_name, file, query, message) => {
  const store = await open();
  const many = Array.from({ length: 12 }, (_, index) => `A-${index},Bella,Dog,small,\n`).join("");
  await importing(store, NEW, `Animal ID,Animal Name,Species,Size,Foster Home\n${many}`);
  const refused = await send(store, query, file);
  expect(await messageOf(refused.clone() as Response)).toMatch(message);
  expect(await faultOf(refused)).toBe("400 import_refused");
});

test.each([
  ["map=x", "map", /^map: "x" is not of the form/],
  ["map=A%3Dname&map=B%3Dname", "map", /^map: the columns "A" and "B" are both mapped to name$/],
  ["value=size:Toy%3Dtiny", "value", /^value: .*use small, medium/],
  ["value=size:Toy%3Dsmall&".repeat(101), "value", /^value: may be given at most 100 times$/],
  ["key=Animal%20ID", "key", /^key works only with update=true$/],
  ["update=true", "update", /^update=true needs key: /],
  ["encoding=klingon", "encoding", /^encoding: /],
  ["currency=dollars", "currency", /^currency: /],
  ["delimiter=ab", "delimiter", /^delimiter: /],
  ["dryRun=yes", "dryRun", /^dryRun: must be one of true, false$/],
  ["name=a%0Ab", "name", /^name: /],
  ["dates=dmy&dates=mdy", "dates", /given twice/],
])("the query ?%s is refused", async (query, field, message) => {
  const store = await open();
  const refused = await send(store, query);
  expect(refused.headers.get("invalid-fields")).toStartWith(`"${field}";`);
  expect(await messageOf(refused.clone() as Response)).toMatch(message);
  expect(await faultOf(refused)).toBe("400 invalid_request");
});

test("a name is a label, and no path", async () => {
  const store = await open();
  await importing(store, `createCategories=true&name=${encodeURIComponent("../../etc/passwd")}`);
  expect(await get(store, `${IMPORTS}/1`)).toMatchObject({ file: "passwd" });
});

test("NDJSON has its cells in the order of its keys", async () => {
  const store = await open();
  const lines = [
    '{"name":"Bella","category":"Dog","weightGrams":12000}',
    '{"name":"","category":"Dog"}',
    "no JSON",
  ];
  const call = { headers: { "content-type": "application/x-ndjson" } };
  const { columns, rejectedRows, added } = await importing(store, NEW, lines.join("\n"), call);
  expect(added).toBe(1);
  expect(columns.map(({ name, field, samples }) => [name, field, samples[0]])).toEqual([
    ["name", "name", "Bella"],
    ["category", "category", "Dog"],
    ["weightGrams", "weightGrams", "12000"],
  ]);
  expect(rejectedRows.map(({ cells }) => cells)).toEqual([["", "Dog", ""], ["no JSON"]]);
});

test("a file of more than 25 MB, of another type, or without the scope is refused", async () => {
  const store = await open();
  const large = new Uint8Array(25 * 2 ** 20 + 1).fill(10);
  expect(await faultOf(await send(store, "", large))).toBe("413 payload_too_large");
  const announced = { headers: { "content-length": String(large.length) } };
  expect(await faultOf(await send(store, "", large, announced))).toBe("413 payload_too_large");
  const json = await send(store, "", FILE, { headers: { "content-type": "application/json" } });
  expect(json.headers.get("accept")).toBe("text/csv, application/x-ndjson");
  expect(await faultOf(json)).toBe("415 unsupported_media_type");
  const key = await store.createKey({ scopes: ["pets:read"] });
  expect(await faultOf(await send(store, "dryRun=true", FILE, { key }))).toBe("403 insufficient_scope");
  expect(await faultOf(await undo(store, 1, key))).toBe("403 insufficient_scope");
  expect((await store.call("GET", IMPORTS, { key })).status).toBe(200);
});

/** A body whose end waits. */
const waitingBody = (text: string) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      await promise;
      controller.close();
    },
  });
  return { body, end: resolve };
};

test("a slow upload delays no other import", async () => {
  const store = await open();
  const { body, end } = waitingBody(FILE);
  const first = send(store, NEW, body);
  while (uploadsOf(store).length === 0) await Bun.sleep(1);
  expect((await send(store, NEW, "name,category\nZoe,Cat\n")).status).toBe(201);
  end();
  expect((await first).status).toBe(201);
});

test("a dry run ends when its client goes, and a real import does not", async () => {
  const store = await open();
  const rows = Array.from({ length: 20_000 }, (_, index) => `Bella ${index},Dog\n`).join("");
  const readBy = async (query: string) => {
    const controller = new AbortController();
    const url = `http://localhost${IMPORTS}?${query}`;
    const headers = { authorization: `Bearer ${store.key}`, "content-type": "text/csv" };
    const body = `name,category\n${rows}`;
    const request = new Request(url, { method: "POST", headers, body, signal: controller.signal });
    const response = store.fetch(request);
    while (receivedBytes(store) < body.length) await Bun.sleep(1);
    await Bun.sleep(30);
    controller.abort();
    return ((await (await response).json()) as Report).read;
  };
  expect(await readBy(`dryRun=true&${NEW}`)).toBeLessThan(20_000);
  expect(await readBy(NEW)).toBe(20_000);
});

test("a retried import and a retried undo get their first responses", async () => {
  const store = await open();
  const twice = async (act: (call: Call) => Promise<Response>, key: string) => {
    const call = { headers: { "idempotency-key": key } };
    const [first, second] = [await act(call), await act(call)];
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect([second.status, await second.json()]).toEqual([first.status, await first.json()]);
  };
  await twice((call) => send(store, `${NEW}&again=true`, FILE, call), "import");
  expect(await animalsOf(store)).toEqual(["Bella small", "Luna large"]);
  const other = await send(store, `${NEW}&again=true`, `${FILE} `, {
    headers: { "idempotency-key": "import" },
  });
  expect(await faultOf(other)).toBe("422 idempotency_mismatch");
  await twice((call) => store.call("POST", `${IMPORTS}/1/undo`, call), "undo");
});

test("the audit log names the caller of an import and of its undo", async () => {
  const store = await open();
  const key = await store.createKey({ name: "office", scopes: ["pets:write"] });
  const { id } = await importing(store, `${NEW}&createFields=true`, FILE, { key });
  await undo(store, id, key);
  const entries = (await get(store, "/platform/audit?actor=key:2")) as { action: string }[];
  expect(entries.map(({ action }) => action).toSorted()).toEqual(
    "category.added category.added field.added import.finished import.started import.undone".split(" "),
  );
});

test("a cell that looks like a flag is not changed in a report", async () => {
  const store = await open();
  const { rejectedRows } = await importing(store, NEW, "name,category,size\nMax,Dog,--update\n");
  expect(rejectedRows).toMatchObject([{ reason: expect.stringContaining('not "--update"') }]);
});

test("an import that a later one has changed is undone after that one", async () => {
  const store = await open();
  const { id: first = 0 } = await importing(store, NEW, "Animal ID,name,category\nA-1,Luna,Cat\n");
  store.clock.advance(1000);
  const { id: second = 0 } = await importing(store, UPDATE, "Animal ID,name\nA-1,Lu\n");
  expect(await messageOf(await undo(store, first))).toBe(
    `Lu (animal 1) was changed by import ${second}: undo that one first`,
  );
  expect((await undo(store, second)).status).toBe(200);
  expect((await undo(store, first)).status).toBe(200);
});

test("a compressed file is refused", async () => {
  const store = await open();
  const call = { headers: { "content-encoding": "gzip" } };
  expect(await faultOf(await send(store, NEW, Bun.gzipSync(FILE), call))).toBe("415 unsupported_media_type");
});
