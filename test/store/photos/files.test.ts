import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { servedFiles } from "../../../src/data/db/stored-deploys.ts";
import { blobsIn, damagedDeploys } from "../../../src/operate/backups/site-files.ts";
import { backUp, restoreTo, storeIn } from "../../operate/backups/stores.ts";
import { localPath, objectOf, openNodes, remoteHashes } from "../../platform/deploys/remote/nodes.ts";
import { jpeg, png } from "../../support/images.ts";
import { type Store, addPet, faultOf, openStore, temporaryDirectory } from "../../support/store.ts";
import { PHOTOS, addPhoto, blobsOf, listPhotos, sendPhoto, withBella } from "./photos.ts";

/** The files that the rows need: sizes, previews and manifests. */
const neededBy = ({ database }: Store): string[] =>
  database.client
    .query<{ hash: string }, []>(
      `SELECT manifest AS hash FROM pet_photos
       UNION SELECT f.value ->> '$.hash' FROM pet_photos, json_each(pet_photos.files) f`,
    )
    .all()
    .map(({ hash }) => hash)
    .toSorted();

test("a sweep keeps the files of every photo, and removes those of deleted photos and animals", async () => {
  const store = await withBella(await openStore());
  await addPet(store, { name: "Rex" });
  for (const width of [40, 41, 42]) await addPhoto(store, await png(width, 30));
  await addPhoto(store, await png(40, 30), { path: "/v1/pets/2/photos" });
  expect(blobsOf(store).toSorted()).toEqual(neededBy(store));
  expect(await store.deploys.sweep()).toBe(0);
  // Rex has the same photo as Bella's first.
  await store.call("DELETE", `${PHOTOS}/1`);
  await store.call("DELETE", `${PHOTOS}/2`);
  expect(await store.deploys.sweep()).toBe(3);
  expect(blobsOf(store).toSorted()).toEqual(neededBy(store));
  await store.call("DELETE", "/v1/pets/1");
  expect(await store.deploys.sweep()).toBe(3);
  await store.call("DELETE", "/v1/pets/2");
  await store.deploys.sweep();
  expect(blobsOf(store)).toEqual([]);
});

test("the files of more photos than are read at a time are all needed", async () => {
  const store = await withBella(await openStore());
  store.database.client.run(
    `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO pet_photos (pet_id, position, alt, width, height, placeholder, manifest, files, created_at)
     SELECT 1, i, '', 1, 1, '', printf('%064x', i), '{"320.webp":{"hash":"' || printf('%064x', 9000 + i) || '","size":1}}', 0 FROM n`,
  );
  const needed = await store.deploys.needed();
  expect(needed.size).toBe(5000);
  expect(needed.has((9000 + 2500).toString(16).padStart(64, "0"))).toBe(true);
});

test("a photo whose animal is deleted while it is processed leaves no row, and no file after a sweep", async () => {
  const store = await withBella(await openStore());
  const adding = sendPhoto(store, await jpeg(900, 700));
  await Bun.sleep(5);
  await store.call("DELETE", "/v1/pets/1");
  expect(await faultOf(await adding)).toBe("404 not_found");
  await store.deploys.sweep();
  expect([blobsOf(store), store.database.client.query("SELECT * FROM pet_photos").all()]).toEqual([[], []]);
});

test("photos are in a backup, and are served after it is restored elsewhere", async () => {
  const dataDir = temporaryDirectory();
  const store = await withBella(await storeIn(dataDir));
  const { sizes } = await addPhoto(store, await png(40, 30), { path: `${PHOTOS}?alt=A` });
  const url = sizes[0]?.url ?? "";
  const stored = await (await store.call("GET", url)).bytes();
  const backup = await backUp(dataDir);
  expect(backup.sites).toMatchObject({ files: 3, missing: 0 });
  const elsewhere = temporaryDirectory();
  expect((await restoreTo(elsewhere, backup.file)).sites).toMatchObject({ files: 3, missing: 0 });
  const restored = await storeIn(elsewhere);
  const key = await restored.createKey({ scopes: ["*"] });
  expect(await (await restored.call("GET", url, { key })).bytes()).toEqual(stored);
  expect(await restored.deploys.sweep()).toBe(0);
});

test("an animal whose photo is damaged is named", async () => {
  const dataDir = temporaryDirectory();
  const store = await withBella(await openStore({ path: databasePath(dataDir), env: { DATA_DIR: dataDir } }));
  for (const width of [40, 41]) await addPhoto(store, await png(width, 30));
  const look = () => damagedDeploys({ blobs: blobsIn(dataDir) }, servedFiles(store.database.client));
  expect(await look()).toEqual({ files: 6, damaged: 0, deploys: [] });
  const [hash = ""] = /"hash":"([\da-f]+)"/
    .exec(
      String(
        store.database.client.query<{ files: string }, []>("SELECT files FROM pet_photos WHERE id = 2").get()
          ?.files,
      ),
    )
    ?.slice(1) ?? [""];
  rmSync(localPath(store, hash));
  expect(await look()).toEqual({ files: 6, damaged: 1, deploys: ["photo 2 of animal 1"] });
});

test("the object store has a photo before it is recorded, and other nodes fetch its files on request", async () => {
  const { server, node } = openNodes();
  const [one, other] = [await node(), await node()];
  await withBella(one);
  const { preview } = await addPhoto(one, await png(40, 30));
  expect(remoteHashes(server)).toEqual(neededBy(one));
  const key = await other.createKey({ scopes: ["*"] });
  expect((await other.call("GET", preview, { key })).status).toBe(200);
});

test("without the object store no photo is recorded", async () => {
  const { server, node } = openNodes();
  const store = await withBella(await node());
  server.intercept(() => new Response(null, { status: 500 }));
  expect(await faultOf(await sendPhoto(store, await png(40, 30)))).toBe("503 storage_unavailable");
  expect(await listPhotos(store)).toEqual([]);
});

test("a sweep of the object store removes the files of deleted photos after a day", async () => {
  const { clock, server, node } = openNodes();
  const store = await withBella(await node());
  await addPhoto(store, await png(40, 30));
  await addPhoto(store, await png(41, 30));
  clock.advance(30 * 24 * 60 * 60_000);
  const sweep = () => store.objects?.sweep(new AbortController().signal);
  expect(await sweep()).toBe(0);
  await store.call("DELETE", `${PHOTOS}/1`);
  expect(await sweep()).toBe(3);
  expect(remoteHashes(server)).toEqual(neededBy(store));
  expect(neededBy(store).every((hash) => server.objects.has(objectOf(hash)))).toBe(true);
});
