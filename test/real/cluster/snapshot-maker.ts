// Writes and makes snapshots without a pause, until it is killed: bun snapshot-maker.ts PATH DATABASE_URL
import { makeSnapshot } from "../../../src/data/cluster/snapshot-schedule.ts";
import { openLog } from "../../../src/data/cluster/open-replica.ts";
import { openReplica } from "../../../src/data/cluster/replica.ts";
import { startReplica } from "../../../src/data/cluster/membership.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { parseDatabaseUrl } from "../../../src/lib/database-url.ts";
import { petRepository } from "../../../src/store/pets/repository.ts";

const [path = "", url = ""] = process.argv.slice(2);
const log = await openLog(parseDatabaseUrl(url));
await startReplica(path, log);
const { database } = await openReplica(path, log, { node: "maker" });
const pets = petRepository(database);
for (;;) {
  await pets.add({ name: crypto.randomUUID(), categoryId: 1n }, { actor: OPERATOR, now: Date.now() });
  await makeSnapshot(path, log, { node: "maker" });
  process.stdout.write("made\n");
}
