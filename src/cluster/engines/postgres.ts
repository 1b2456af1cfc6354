import type { DatabaseUrl } from "../../lib/database-url.ts";
import type { Log } from "../log.ts";
import type { PemFiles } from "./pem-files.ts";
import { PostgresClaims } from "./postgres-claims.ts";
import { postgresFiles } from "./postgres-files.ts";
import { postgresHealth } from "./postgres-health.ts";
import { PostgresPrimary } from "./postgres-primary.ts";
import { PostgresRecords } from "./postgres-records.ts";
import { PostgresSnapshots } from "./postgres-snapshots.ts";
import { PostgresTurns } from "./postgres-turns.ts";
import { PostgresWatch } from "./postgres-watch.ts";

/** A log in PostgreSQL, 15 or newer. */
export const openPostgres = (url: DatabaseUrl, tls: PemFiles | undefined): Log => {
  const primary = new PostgresPrimary(url, tls);
  const name = url.log;
  const node = crypto.randomUUID();
  // A name of a channel has at most 63 bytes.
  const channel = `adoption_store_${Bun.hash(name).toString(36)}`;
  const records = new PostgresRecords(primary, { name, channel, node });
  const snapshots = new PostgresSnapshots(primary, name);
  const claims = new PostgresClaims(primary, name);
  const watch = new PostgresWatch(primary, () => records.head());
  const turns = new PostgresTurns(primary, watch, { name, node, channel: `${channel}_turn` });
  return {
    head: () => records.head(),
    create: (first, replaces) => snapshots.create(first, replaces),
    append: (after, id, record) => records.append(after, id, record),
    read: (after, limit) => records.read(after, limit),
    watch: (onChange, signal) => watch.listen(channel, onChange, signal),
    turn: () => turns.take(),
    claim: (claim, ttlMs, value) => claims.take(claim, ttlMs, value),
    claims: (prefix) => claims.list(prefix),
    snapshot: () => snapshots.newest(),
    announce: (snapshot) => snapshots.announce(snapshot),
    trim: (upTo) => snapshots.trim(upTo),
    files: postgresFiles(primary, name),
    health: () => postgresHealth(primary),
    async close() {
      await Promise.all([claims.close(), turns.close()]);
      watch.close();
      primary.close();
    },
  };
};
