import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../lib/durable.ts";
import type { Logger } from "../lib/log.ts";
import { type Clock, formatTime } from "../lib/time.ts";

/** A host name that requests asked for and nothing serves. */
export interface RefusedHost {
  /** In lower case, without a port. */
  host: string;
  /** How many requests asked for it since the server started. */
  count: number;
  /** When the last one did, in RFC 3339. */
  lastAt: string;
}

const MAX_HOSTS = 20;
/** How long a host that was logged is not logged again. */
const LOG_AGAIN_MS = 60 * 60_000;
/** The shortest time between two lines of the log. */
const LOG_INTERVAL_MS = 1000;
/** 20 entries take less. */
const MAX_FILE_BYTES = 16 * 1024;

export const refusedHostsPath = (dataDir: string): string => join(dataDir, "refused-hosts.json");

interface Entry {
  count: number;
  /** Milliseconds UTC. */
  lastAt: number;
  loggedAt: number;
}

/** Counts refused hosts in memory: the newest 20. Strangers choose these names, so that nothing grows with them. */
export const refusedHosts = ({ clock, log }: { clock: Clock; log: Pick<Logger, "warn"> }) => {
  /** In the order of their last request. */
  const entries = new Map<string, Entry>();
  let lastLoggedAt = -Infinity;
  let revision = 0;
  let savedRevision: number | undefined;

  const logOnce = (host: string, entry: Entry) => {
    if (entry.lastAt - entry.loggedAt < LOG_AGAIN_MS || entry.lastAt - lastLoggedAt < LOG_INTERVAL_MS) return;
    entry.loggedAt = lastLoggedAt = entry.lastAt;
    log.warn(
      { host },
      "refused a host that nothing serves: no project has it, and neither BASE_URL nor API_HOSTS names it",
    );
  };

  /** Newest first. */
  const list = (): RefusedHost[] =>
    [...entries]
      .map(([host, { count, lastAt }]) => ({ host, count, lastAt: formatTime(lastAt) }))
      .toReversed();

  return {
    add(host: string): void {
      const { count = 0, loggedAt = -Infinity } = entries.get(host) ?? {};
      const entry = { count: count + 1, lastAt: clock.now(), loggedAt };
      entries.delete(host);
      entries.set(host, entry);
      const [oldest] = entries.keys();
      if (entries.size > MAX_HOSTS && oldest !== undefined) entries.delete(oldest);
      revision++;
      logOnce(host, entry);
    },
    list,
    /** Writes the hosts to DATA_DIR, for commands that run next to the server, if a request was refused since the last time. */
    async save(dataDir: string): Promise<void> {
      const path = refusedHostsPath(dataDir);
      // The file of an earlier start is out of date.
      savedRevision ??= existsSync(path) ? -1 : 0;
      const next = revision;
      if (next === savedRevision) return;
      await writeDurably(path, `${JSON.stringify(list(), null, 2)}\n`);
      savedRevision = next;
    },
  };
};

export type RefusedHosts = ReturnType<typeof refusedHosts>;

const isRefusedHost = (value: unknown): value is RefusedHost => {
  const { host, count, lastAt } = (value ?? {}) as Partial<Record<keyof RefusedHost, unknown>>;
  return typeof host === "string" && typeof count === "number" && typeof lastAt === "string";
};

/** The hosts that the server of DATA_DIR has refused since its last start, newest first; none if the file cannot be read. */
export const readRefusedHosts = (dataDir: string): RefusedHost[] => {
  const path = refusedHostsPath(dataDir);
  try {
    if (statSync(path).size > MAX_FILE_BYTES) return [];
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Array.isArray(value) ? value.filter(isRefusedHost).slice(0, MAX_HOSTS) : [];
  } catch {
    return [];
  }
};
