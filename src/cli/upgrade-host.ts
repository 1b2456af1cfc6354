import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../app/version.ts";
import { takeBackup } from "../backups/backup.ts";
import { fileTime } from "../backups/file-names.ts";
import { copySince } from "../backups/pre-migration-copy.ts";
import type { Config } from "../config/config.ts";
import { databasePath } from "../data-dir/paths.ts";
import { appliedMigrations } from "../db/migrate.ts";
import { openForReading } from "../db/readonly.ts";
import { fileSize } from "../lib/files.ts";
import { SERVICE } from "../service/paths.ts";
import { must } from "../service/run.ts";
import { startService } from "../service/systemd.ts";
import type { Host, UpgradedService } from "../upgrade/host.ts";

const PREFIX = "before-upgrade-";
const POLL_MS = 250;

const newestMigration = (dataDir: string): string | undefined => {
  const path = databasePath(dataDir);
  if (fileSize(path) === 0) return undefined;
  const client = openForReading(path);
  try {
    return appliedMigrations(client).at(-1)?.tag;
  } finally {
    client.close();
  }
};

const readinessUrl = ({ portHost, port }: Config): string => {
  const host = portHost === "0.0.0.0" || portHost === "::" ? "localhost" : portHost;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/readyz`;
};

/** Why `/readyz` does not respond with 200; undefined if it does. */
const readinessFault = async (url: string): Promise<string | undefined> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: "manual" });
    const text = await response.text();
    return response.status === 200 ? undefined : `/readyz responds with ${response.status}: ${text}`;
  } catch {
    return `${url} does not respond`;
  }
};

/** The service under systemd. @param timeoutMs how long a start may take */
export const systemdService = (config: Config, timeoutMs: number): UpgradedService => ({
  async stop() {
    await must("systemctl", "stop", SERVICE);
  },
  async restart() {
    const end = performance.now() + timeoutMs;
    const reason = await startService("restart", timeoutMs);
    if (reason !== undefined) return reason;
    const url = readinessUrl(config);
    for (;;) {
      const fault = await readinessFault(url);
      if (fault === undefined) return undefined;
      if (performance.now() > end) return fault;
      await Bun.sleep(POLL_MS);
    }
  },
});

/** The machine, as an upgrade uses it. */
export const upgradeHost = (
  { dataDir, diskReserve }: Config,
  service: UpgradedService | undefined,
  say: (line: string) => void,
  onProgress: (line: string, isStep?: boolean) => void,
): Host => ({
  service,
  dataDir,
  current: { version: VERSION },
  now: Date.now,
  say,
  newestMigration: () => newestMigration(dataDir),
  copyBeforeMigration: (since) => copySince(dataDir, since),
  async backUp() {
    if (fileSize(databasePath(dataDir)) === 0) return undefined;
    const now = Date.now();
    const { file } = await takeBackup({
      dataDir,
      file: join(dataDir, `${PREFIX}${fileTime(now)}.db`),
      force: false,
      secrets: true,
      // An upgrade changes no file of a site.
      sites: false,
      reserve: diskReserve,
      now,
      onProgress,
    });
    return file;
  },
  async restore(program, backup) {
    await must(program, "restore", backup, "--yes", "--data-dir", dataDir);
  },
  removeBackups(except) {
    if (!existsSync(dataDir)) return;
    for (const name of readdirSync(dataDir))
      if (name.startsWith(PREFIX) && name.endsWith(".db") && join(dataDir, name) !== except)
        rmSync(join(dataDir, name));
  },
});
