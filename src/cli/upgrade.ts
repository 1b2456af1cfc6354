import { constants, existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isVerbose } from "../lib/log.ts";
import { VERSION } from "../lib/version.ts";
import { takeBackup } from "../operate/backups/backup.ts";
import { removeBackup } from "../operate/backups/digest.ts";
import { fileTime } from "../operate/backups/file-names.ts";
import { copySince } from "../operate/backups/pre-migration-copy.ts";
import type { Config } from "../config/config.ts";
import { databasePath } from "../data/data-dir/paths.ts";
import { takeLock } from "../data/db/file-lock.ts";
import { appliedMigrations } from "../data/db/migrate.ts";
import { openForReading } from "../data/db/readonly.ts";
import { fileSize, isAllowed } from "../lib/files.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { EXECUTABLE_PATH, SERVICE } from "../operate/service/unit.ts";
import { isInstalled, must, startService, unitState } from "../operate/service/systemd.ts";
import {
  type Host,
  planRollback,
  readRecord,
  RollbackFailed,
  type RollbackPlan,
  RolledBack,
  upgrade,
  type UpgradedService,
  type UpgradePaths,
  upgradePaths,
} from "../operate/upgrade/upgrade.ts";
import { command, EXIT_CODES } from "./command.ts";
import { assertConfirmed, readSpan, UsageError } from "./input.ts";
import { formatBytes, note, print, progressLine } from "./print/output.ts";
import { serviceConfig } from "./service.ts";
import { configOf } from "./settings.ts";

const PREFIX = "before-upgrade-";
const POLL_MS = 250;

const newestMigration = (dataDir: string): string | undefined => {
  const path = databasePath(dataDir);
  if (fileSize(path) === 0) return undefined;
  using client = openForReading(path);
  return appliedMigrations(client).at(-1)?.tag;
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
const systemdService = (config: Config, timeoutMs: number): UpgradedService => ({
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

const upgradeHost = (
  { dataDir, diskReserve, logLevel }: Config,
  service: UpgradedService | undefined,
  say: (line: string) => void,
  onProgress: (line: string, isStep?: boolean) => void,
): Host => ({
  service,
  dataDir,
  current: { version: VERSION },
  now: Date.now,
  say,
  debug: isVerbose(logLevel) ? say : () => {},
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
        removeBackup(join(dataDir, name));
  },
});

const ROLLBACK_FAILED = 3;
const PREVIOUS = /\.previous$/;

const timeoutOf = (text: string): number => {
  const seconds = /^[1-9]\d{0,3}[smh]$/.test(text) ? readSpan(text) : undefined;
  if (seconds !== undefined) return seconds * 1000;
  throw new UsageError(`--timeout: ${JSON.stringify(text)} must be a time span, such as 30s or 5m`);
};

/** The executable that is replaced. After a rollback by hand was needed, the previous one may run under its own name. */
const ownPaths = (isRollback: boolean): UpgradePaths => {
  if (!Bun.isStandaloneExecutable)
    throw new OperatorError("only the executable can replace itself: use git to upgrade the source");
  const own = realpathSync(process.execPath);
  if (PREVIOUS.test(own) && !isRollback)
    throw new UsageError(`this is the previous version: run ${own.replace(PREVIOUS, "")} upgrade`);
  const paths = upgradePaths(own.replace(PREVIOUS, ""));
  const directory = dirname(paths.executable);
  if (!isAllowed(directory, constants.W_OK))
    throw new OperatorError(`${directory} cannot be written: run this as root, with sudo`);
  return paths;
};

/** True if the service runs this executable, or an earlier upgrade has stopped it. */
const hasService = async (paths: UpgradePaths): Promise<boolean> => {
  if (paths.executable !== EXECUTABLE_PATH || !isInstalled()) return false;
  const { active } = await unitState();
  const { state = "done" } = readRecord(paths) ?? {};
  return active !== "inactive" || state !== "done";
};

/** The settings of the service if it runs this executable and no DATA_DIR is given. */
const configFor = (flags: Record<string, unknown>, isService: boolean): Config =>
  isService && flags["dataDir"] === undefined ? serviceConfig() : configOf(flags);

/** Only one upgrade at a time. @throws OperatorError */
const lockUpgrade = ({ lock: path }: UpgradePaths) => {
  const lock = takeLock(path);
  if (!lock?.isInPlace()) throw new OperatorError("another upgrade is running: wait for it");
  return {
    [Symbol.dispose]() {
      rmSync(path, { force: true });
      lock.release();
    },
  };
};

const lossQuestion = ({ record, losesData }: RollbackPlan): string =>
  losesData
    ? `Go back to ${record.from.version}? The database goes back to ${new Date(record.startedAt).toISOString()}, too: later writes are lost.`
    : `Go back from ${record.to.version} to ${record.from.version}?`;

const rollBack = async (host: Host, paths: UpgradePaths, yes: boolean | undefined): Promise<void> => {
  const plan = await planRollback(host, paths);
  await assertConfirmed(yes, lossQuestion(plan), "Nothing was changed.");
  await plan.run();
  print(`${paths.executable} is ${plan.record.from.version} again.`);
  if (!host.service) print("Restart the server to run it.");
};

const replace = async (
  host: Host,
  paths: UpgradePaths,
  source: string,
  sha256: string | undefined,
  onBytes: (bytes: number) => void,
): Promise<void> => {
  const { outcome, from, to } = await upgrade(host, paths, { source, sha256, onBytes });
  if (outcome === "installed") return print(`${to.version} is installed already: nothing to do.`);
  print(`Upgraded from ${from.version} to ${to.version}.`);
  print(host.service ? "The service runs it, and is ready." : "Restart the server to run it.");
  print("To go back: adoption-store upgrade --rollback");
};

const checkArguments = (
  source: string | undefined,
  { rollback, sha256 }: { rollback: boolean | undefined; sha256: string | undefined },
): void => {
  if (rollback && (source !== undefined || sha256 !== undefined))
    throw new UsageError("--rollback goes back to the previous version: give no file and no checksum");
  if (!rollback && source === undefined)
    throw new UsageError("name the new executable, a file or an HTTPS URL; or go back with --rollback");
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new UsageError("--sha256 must be the SHA-256 of the file: 64 digits from 0 to f");
};

export const upgradeCommand = command({
  name: "upgrade",
  description: "replace this executable, restart the service, and go back if the new one does not work",
  takes: {
    "[source]": "the new executable: a file, or an HTTPS URL",
    "--sha256 <hex>": "the checksum that the new executable must have",
    "--timeout <span>": { text: "how long the new version may take until it is ready", fallback: "5m" },
    "--rollback": "go back to the version before the last upgrade",
    "--yes": "do not ask before a rollback",
  },
  settings: ["diskReserve"],
  examples: {
    "Upgrade to an executable in this directory": "./adoption-store-linux-x64",
    "Go back to the previous version": "--rollback",
  },
  notes: [
    "A URL needs a checksum: --sha256, or the file SHA256SUMS next to it. The checksum of a file is checked if either is present.",
    "The database is saved in DATA_DIR first, and the previous executable is kept as adoption-store.previous. If the command is interrupted, run it again.",
  ],
  exitCodes: {
    ...EXIT_CODES,
    1: "the previous version is still installed, and runs if it ran before",
    [ROLLBACK_FAILED]: "neither version is ready; standard error has the reason",
  },
  async run({ source, yes, timeout, ...flags }) {
    checkArguments(source, flags);
    const timeoutMs = timeoutOf(timeout);
    const paths = ownPaths(flags.rollback === true);
    using _lock = lockUpgrade(paths);
    const isService = await hasService(paths);
    const config = configFor(flags, isService);
    using progress = progressLine();
    const host = upgradeHost(
      config,
      isService ? systemdService(config, timeoutMs) : undefined,
      progress.note,
      progress.show,
    );
    try {
      if (source === undefined) await rollBack(host, paths, yes);
      else
        await replace(host, paths, source, flags.sha256, (bytes) =>
          progress.show(`Reading: ${formatBytes(bytes)}`),
        );
    } catch (error) {
      if (!(error instanceof RolledBack) && !(error instanceof RollbackFailed)) throw error;
      note(reasonOf(error));
      process.exitCode = error instanceof RolledBack ? 1 : ROLLBACK_FAILED;
    }
  },
});
