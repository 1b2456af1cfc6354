import { expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { openNodes } from "../platform/deploys/remote/nodes.ts";
import { addPhoto, type PhotoBody } from "../store/photos/photos.ts";
import { jpeg, png } from "../support/images.ts";
import { addPet, openStore, temporaryDirectory } from "../support/store.ts";
import { bundledOnTerminal, expectFailure, inProcess, openShared } from "./program.ts";

const onTerminal = bundledOnTerminal();

/** Bella has two photos, Tom one, and Rex none. */
const withPhotos = async () => {
  const shared = await openShared();
  const { store } = shared;
  for (const [name, status] of [
    ["=Bella", "sold"],
    ["Tom", null],
    ["Rex", "sold"],
  ] as const)
    await addPet(store, { name, ...(status && { status }) });
  const photos: PhotoBody[] = [
    await addPhoto(store, await png(400, 300), { path: "/v1/pets/1/photos?alt=On+a+sofa%2C+asleep" }),
    await addPhoto(store, await png(500, 300)),
    await addPhoto(store, await png(40, 30), { path: "/v1/pets/2/photos" }),
  ];
  const cwd = temporaryDirectory();
  const directory = join(cwd, "photos");
  const runExport = (file: string, ...flags: string[]) =>
    shared.run("export", join(cwd, file), "--photos", directory, ...flags);
  return { ...shared, photos, cwd, directory, runExport };
};

type Fixture = Awaited<ReturnType<typeof withPhotos>>;

const filesIn = (directory: string) => (readdirSync(directory, { recursive: true }) as string[]).toSorted();

/** The blob of a photo's largest size. */
const blobOf = ({ store, dataDir, photos }: Fixture, id: number): string => {
  const name = photos[id - 1]?.sizes.at(-1)?.url.split("/").at(-1);
  const { files } = store.database.client
    .query<{ files: string }, [number]>("SELECT files FROM pet_photos WHERE id = ?")
    .get(id) ?? { files: "{}" };
  const { hash = "" } = (JSON.parse(files) as Record<string, { hash: string }>)[name ?? ""] ?? {};
  return join(dataDir, "blobs", hash.slice(0, 2), hash.slice(2));
};

test("photos are exported by animal and place, in their largest size, next to a list with their texts", async () => {
  const fixture = await withPhotos();
  const { store, cwd, directory, runExport } = fixture;
  await store.call("PATCH", "/v1/pets/1/photos/2", { json: { position: 0 } });
  const { code, out, error } = await runExport("animals.csv");
  expect([code, error]).toEqual([0, ""]);
  expect(out).toContain(`3 animals in ${join(cwd, "animals.csv")} and 3 photos in ${directory} (`);
  expect(filesIn(directory)).toEqual(["1", "1/01.webp", "1/02.webp", "2", "2/01.webp", "photos.csv"]);
  for (const [path, id] of [
    ["1/01.webp", 2],
    ["1/02.webp", 1],
    ["2/01.webp", 3],
  ] as const)
    expect(readFileSync(join(directory, path))).toEqual(readFileSync(blobOf(fixture, id)));
  expect(readFileSync(join(directory, "photos.csv"), "utf8")).toBe(
    `id,name,file,alt\n1,'=Bella,1/01.webp,\n1,'=Bella,1/02.webp,"On a sofa, asleep"\n2,Tom,2/01.webp,\n`,
  );
  const modes = ["", "1", "1/01.webp", "photos.csv"].map(
    (path) => statSync(join(directory, path)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
});

test("an original is exported if it is stored", async () => {
  const dataDir = temporaryDirectory();
  const env = { DATA_DIR: dataDir };
  const store = await openStore({ path: databasePath(dataDir), env: { ...env, KEEP_ORIGINALS: "true" } });
  await addPet(store, {});
  const original = await jpeg(64, 48);
  await addPhoto(store, original);
  const directory = join(temporaryDirectory(), "photos");
  expect((await inProcess(["export", "--photos", directory], { env })).code).toBe(0);
  expect(filesIn(directory)).toEqual(["1", "1/01.jpg", "photos.csv"]);
  expect(readFileSync(join(directory, "1/01.jpg"))).toEqual(Buffer.from(original));
});

test("photos that only the object store has are fetched", async () => {
  const { server, node } = openNodes();
  const dataDir = temporaryDirectory();
  const store = await node({ dataDir, path: databasePath(dataDir) });
  await addPet(store, {});
  await addPhoto(store, await png(40, 30));
  rmSync(join(dataDir, "blobs"), { recursive: true });
  const directory = join(temporaryDirectory(), "photos");
  const env = { DATA_DIR: dataDir, BLOBS_URL: server.url };
  const { code, error } = await inProcess(["export", "--photos", directory], { env });
  expect([code, error]).toEqual([0, ""]);
  expect(filesIn(directory)).toEqual(["1", "1/01.webp", "photos.csv"]);
});

test("another export copies only new and changed photos, and removes what a killed one left", async () => {
  const { directory, runExport } = await withPhotos();
  await runExport("animals.csv");
  const kept = join(directory, "1/01.webp");
  const changed = join(directory, "1/02.webp");
  const before = statSync(kept).ino;
  writeFileSync(changed, "mine");
  writeFileSync(`${changed}.partial`, "half");
  const { out } = await runExport("again.csv", "--json");
  expect(JSON.parse(out)).toMatchObject({ rows: 3, photos: 3 });
  expect(statSync(kept).ino).toBe(before);
  expect(statSync(changed).size).toBeGreaterThan(100);
  expect(filesIn(directory)).toHaveLength(6);
});

test("another export deletes the files of deleted photos, and no file that the list does not name", async () => {
  const fixture = await withPhotos();
  const { store, directory, runExport } = fixture;
  await store.call("PATCH", "/v1/pets/1/photos/1", { json: { alt: 'A\n3,Rex,3/01.webp,"x"\n' } });
  await runExport("animals.csv");
  for (const path of ["../1.webp", "notes.webp", "3/01.webp", "1/03.webp"]) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), "mine");
  }
  appendFileSync(
    join(directory, "photos.csv"),
    "1,Bella,notes.webp,\n1,Bella,1/03.webp,\n1,Bella,../1.webp,\n",
  );
  await store.call("DELETE", "/v1/pets/1/photos/1");
  await runExport("again.csv");
  expect(filesIn(directory)).toEqual([
    "1",
    "1/01.webp",
    "1/03.webp",
    "2",
    "2/01.webp",
    "3",
    "3/01.webp",
    "notes.webp",
    "photos.csv",
  ]);
  expect(existsSync(join(directory, "../1.webp"))).toBe(true);
});

test("an export of another store or of one status deletes no photo of the directory", async () => {
  const { store, directory, runExport } = await withPhotos();
  await runExport("animals.csv");
  const files = filesIn(directory);
  await runExport("sold.csv", "--status", "sold");
  expect(filesIn(directory)).toEqual(files);
  await runExport("animals.csv");
  for (const id of [1, 2]) await store.call("DELETE", `/v1/pets/${id}`);
  await runExport("again.csv");
  expect(filesIn(directory)).toEqual(files);
});

test("an export that cannot read a photo deletes no file, which may be its last copy", async () => {
  const fixture = await withPhotos();
  const { store, directory, runExport } = fixture;
  await runExport("animals.csv");
  rmSync(blobOf(fixture, 2));
  await store.call("DELETE", "/v1/pets/1/photos/1");
  expect((await runExport("again.csv")).code).toBe(1);
  expect(filesIn(directory)).toContain("1/02.webp");
});

test("--status exports the photos of these animals only, and the audit log has their number", async () => {
  const { store, directory, runExport } = await withPhotos();
  await runExport("none.csv", "--status", "none");
  expect(filesIn(directory)).toEqual(["2", "2/01.webp", "photos.csv"]);
  const { changes } = store.database.client
    .query<{ changes: string }, []>("SELECT changes FROM audit_entries ORDER BY id DESC")
    .get() ?? { changes: "" };
  expect(changes).toContain('["photos",null,"1"]');
});

test("missing and damaged photos are named and counted, the others are exported, and the exit code is 1", async () => {
  const fixture = await withPhotos();
  const { store, directory, runExport } = fixture;
  rmSync(blobOf(fixture, 1));
  chmodSync(blobOf(fixture, 2), 0o600);
  writeFileSync(blobOf(fixture, 2), readFileSync(blobOf(fixture, 2)).fill(7, 40));
  const { code, out, error } = await runExport("animals.csv");
  expect(error).toBe(
    "adoption-store: 2 of 3 photos could not be exported: photo 1 of animal 1 (its file is missing), photo 2 of animal 1 (its file has other content than was stored). Add them again with adoption-store pets photo add, or restore a backup\n",
  );
  expect([code, out]).toEqual([1, expect.stringContaining("and 1 photo in")]);
  expect(filesIn(directory)).toEqual(["2", "2/01.webp", "photos.csv"]);
  store.database.client.run("UPDATE pet_photos SET files = '{' WHERE id = 3");
  expect((await runExport("again.csv")).error).toContain("photo 3 of animal 2 (its file is unknown)");
});

test("--photos refuses what is not a directory, and those of the server, and then writes nothing", async () => {
  const { run, cwd, dataDir, directory, runExport } = await withPhotos();
  writeFileSync(directory, "");
  expectFailure(await runExport("a.csv"), 1, `${directory} is not a directory: choose another with --photos`);
  const inside = join(dataDir, "blobs", "photos");
  expectFailure(await run("export", "--photos", inside), 1, "is a directory of the server in DATA_DIR");
  expect(existsSync(inside)).toBe(false);
  expect(filesIn(cwd)).not.toContain("a.csv");
});

test("an export shows on a terminal how many photos it has copied", async () => {
  const { env, cwd, directory } = await withPhotos();
  const { shown } = await onTerminal(["export", join(cwd, "animals.csv"), "--photos", directory], env);
  expect(shown).toContain("Photos: 1");
});
