import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { damagedTables } from "../../../src/data/cluster/contents.ts";
import { copyInto, openExisting } from "../../../src/data/db/snapshot.ts";
import { act, addNamed, memoryCluster } from "../../support/cluster.ts";
import { temporaryDirectory } from "../../support/ends.ts";

const damageOf = async (path: string): Promise<string[] | undefined> => {
  using client = openExisting(path, { readonly: true });
  return await damagedTables(client);
};

/** The committed state of a node's database, in one file. */
const copyOf = (client: Client): string => {
  const copy = join(temporaryDirectory(), "copy.db");
  using other = openExisting(client.filename);
  copyInto(other, copy);
  return copy;
};

test("nodes at the same position have the same contents, whichever of them wrote, and in whatever order", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  const [first] = await Promise.all([addNamed(a, "Bella"), addNamed(b, "Max"), addNamed(a, "Luna")]);
  await act(b.database, "UPDATE pets SET name = ? WHERE id = ?", "Bela", first);
  await act(a.database, "DELETE FROM pets WHERE name = ?", "Max");
  await Promise.all([a.database.fresh(), b.database.fresh()]);
  const digests = [a, b].map(({ cluster }) => cluster.contents().at(-1));
  expect(digests[0]).toEqual(digests[1]);
  expect(digests[0]?.position).toBe(a.cluster.state().position);
  expect(await damageOf(copyOf(a.database.client))).toEqual([]);
  await addNamed(a, "Otto");
  expect(a.cluster.contents().at(-1)?.digest).not.toBe(digests[0]?.digest);
});

test("nodes that write all the time compare positions that each has been at", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  for (let count = 0; count < 130; count++) await addNamed(a, "Bella");
  await b.database.fresh();
  await addNamed(a, "Max");
  const positions = [a, b].map(({ cluster }) => cluster.contents().map(({ position }) => position));
  expect(positions).toEqual([
    [0, 128, 131],
    [0, 128, 130],
  ]);
  expect(b.cluster.contents()[1]).toEqual(a.cluster.contents()[1]);
});

test("each changed bit in the name of an animal is found, though SQLite finds none of them", async () => {
  const { open } = await memoryCluster();
  const a = await open();
  await addNamed(a, "Charlie");
  const copy = copyOf(a.database.client);
  const content = readFileSync(copy);
  const at = content.indexOf("Charlie");
  for (let bit = 0; bit < 56; bit++) {
    const damaged = Buffer.from(content);
    damaged.writeUInt8(damaged.readUInt8(at + (bit >> 3)) ^ (1 << (bit & 7)), at + (bit >> 3));
    writeFileSync(copy, damaged);
    expect([bit, await damageOf(copy)]).toEqual([bit, ["pets"]]);
  }
});

test("a row that is missing is found, with the number of rows", async () => {
  const { open } = await memoryCluster();
  const a = await open();
  await addNamed(a, "Bella");
  const copy = copyOf(a.database.client);
  const client = new Client(copy);
  client.run("DELETE FROM pet_counts_by_day");
  client.close();
  expect(await damageOf(copy)).toEqual(["pet_counts_by_day (0 rows instead of 1)"]);
});

test("the contents of a file that an earlier version has written are unknown until the next start", async () => {
  const { newFile, open } = await memoryCluster();
  const path = newFile();
  const a = await open({ path });
  await addNamed(a, "Bella");
  await a.database.close();
  const older = new Client(path);
  older.run("INSERT INTO categories (name, folded) VALUES ('Dogs', 'dogs')");
  older.run("UPDATE replica SET position = position + 1");
  older.close();
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  expect(await damageOf(copy)).toBeUndefined();
  const again = await open({ path });
  expect(await damageOf(copyOf(again.database.client))).toEqual([]);
});

test("rows in a wrong order, as after swapped pages, are damage", async () => {
  const { newFile, open } = await memoryCluster();
  const path = newFile();
  const node = await open({ path });
  await act(
    node.database,
    `INSERT INTO pets (name, category_id, created_at)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     SELECT 'Animal ' || i, 1, 0 FROM n ORDER BY i RETURNING id`,
  );
  await node.database.close();
  {
    using client = new Client(path);
    const leaves = client
      .query<{ page: number; cells: number }, []>(
        "SELECT pageno AS page, ncell AS cells FROM dbstat WHERE name = 'pets' AND pagetype = 'leaf' ORDER BY path",
      )
      .all();
    let rows = 0;
    // The page with the last row of the first slice, and the first page.
    const end = leaves.find(({ cells }) => (rows += cells) >= 2000)?.page ?? 0;
    const [one, other] = [((leaves[0]?.page ?? 0) - 1) * 4096, (end - 1) * 4096];
    client.close();
    const content = readFileSync(path);
    const first = Buffer.from(content.subarray(one, one + 4096));
    content.copyWithin(one, other, other + 4096);
    first.copy(content, other);
    writeFileSync(path, content);
  }
  expect(await damageOf(path)).toContainEqual(expect.stringContaining("pets"));
});
