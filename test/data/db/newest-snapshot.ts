import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** drizzle-kit compares the schema with the newest snapshot, and reads no other. */
const META = join(import.meta.dir, "../../../drizzle/meta");

const snapshots = readdirSync(META).filter((name) => name.endsWith("_snapshot.json"));
for (const name of snapshots.toSorted().slice(0, -1)) rmSync(join(META, name));
