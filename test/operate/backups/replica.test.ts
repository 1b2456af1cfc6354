import { expect, test } from "bun:test";
import { makeEmbedded } from "../../../src/data/cluster/membership.ts";
import { prepareRestore } from "../../../src/operate/backups/restore.ts";
import { checkBackup } from "../../../src/operate/backups/check.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { lastEventId } from "../../../src/data/db/backup-contents.ts";
import { markReplica } from "../../../src/data/db/replica-mark.ts";
import { inspect, markAt } from "../../support/replica-file.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { backUp, closedStore, namesIn, NOW, restoreTo } from "./stores.ts";

const MARK = { log: "9b1d", position: 41, id: "a", checksum: "c" };

/** A DATA_DIR whose database is a replica. */
const closedReplica = async (name: string): Promise<string> => {
  const dataDir = await closedStore(name);
  inspect(databasePath(dataDir), (client) => markReplica(client, MARK));
  return dataDir;
};

test("a backup of a replica is an embedded database with its position in the log", async () => {
  const { file } = await backUp(await closedReplica("Bella"));
  expect(markAt(file)).toBeUndefined();
  expect(checkBackup(file, () => {}).origin).toEqual({ log: "9b1d", position: 41 });
});

test("a backup of a replica is restored as an embedded store, whose event ids continue to rise", async () => {
  const { file } = await backUp(await closedReplica("Bella"));
  const dataDir = temporaryDirectory();
  await restoreTo(dataDir, file);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
  const tables = inspect(databasePath(dataDir), (client) =>
    client.query("SELECT name FROM sqlite_schema WHERE name IN ('replica', 'backup_origin')").values(),
  );
  expect(tables).toEqual([]);
  expect(inspect(databasePath(dataDir), lastEventId)).toBeGreaterThan(NOW);
});

test("a restore over a replica is refused, and the error explains how a cluster returns to a backup", async () => {
  const { file } = await backUp(await closedStore("Max"));
  const dataDir = await closedReplica("Bella");
  expect(() => prepareRestore(dataDir, file, NOW)).toThrow("cluster join --replace");
  expect(markAt(databasePath(dataDir))).toEqual(MARK);
  // It holds no lock.
  makeEmbedded(databasePath(dataDir));
  await restoreTo(dataDir, file);
  expect(await namesIn(dataDir)).toEqual(["Max"]);
});
