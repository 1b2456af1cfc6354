// Writes and makes snapshots without a pause, until it is killed: bun snapshot-maker.ts PATH DATABASE_URL
import { makeSnapshot } from "../../../src/cluster/snapshot-schedule.ts";
import { openLog } from "../../../src/cluster/open-log.ts";
import { openReplica } from "../../../src/cluster/replica.ts";
import { startReplica } from "../../../src/cluster/start-replica.ts";
import { OPERATOR } from "../../../src/lib/privilege-ceiling.ts";
import { parseDatabaseUrl } from "../../../src/lib/database-url.ts";
import { petRepository } from "../../../src/pets/repository.ts";

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
