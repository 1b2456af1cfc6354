import { accessSync, constants, existsSync, statSync, statfsSync } from "node:fs";
import { Command } from "commander";
import { assertBackupDirectory } from "../backups/place.ts";
import { blobsOf, damagedDeploys } from "../backups/sites.ts";
import type { Config } from "../config/config.ts";
import { DiskError, asDiskError, hasFailedToRead } from "../db/disk-error.ts";
import { explainFailure } from "../db/explain.ts";
import { isLocked } from "../db/lock.ts";
import { MigrationRefused, assertCurrent } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { foreignObject } from "../db/objects.ts";
import { openForReading, readingOf } from "../db/readonly.ts";
import { type Client, servableDeploys } from "../db/snapshot.ts";
import { directoryFault, fileFault, quoted } from "../directory.ts";
import { listen } from "../edge/listeners.ts";
import { assertNew, databasePath, isBeingRestored, lockPath, openFault } from "../data.ts";
import { explain, underWay } from "../domains/certificates/explain.ts";
import { wireCertificateService } from "../wire-https.ts";
import { configOf, withSettings } from "./settings.ts";
import { print } from "./terminal.ts";

interface Finding {
  check: string;
  ok: boolean;
  /** What was seen, and if it is not ok, what to do. */
  detail: string;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Probe = (config: Config) => string | Promise<string>;

/** Names in one line. */
const MOST_NAMED = 10;
const YEAR_2026 = Date.UTC(2026, 0, 1);

const dataDir: Probe = ({ dataDir: path }) => {
  if (!existsSync(path)) return `${path} does not exist yet; serve creates it`;
  const fault = directoryFault(path) ?? fileFault(lockPath(path));
  if (fault !== undefined) throw new Error(`${path}: ${fault}`);
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `${path} cannot be written (${messageOf(error)}); give it to the user that runs the server`,
      { cause: error },
    );
  }
  const advice = statSync(path).mode & 0o055 ? `; others can list its files: chmod 700 ${quoted(path)}` : "";
  return `${path} is writable${advice}`;
};

const disk: Probe = ({ dataDir: path, diskReserve }) => {
  const { bavail, bsize } = statfsSync(existsSync(path) ? path : ".");
  const mebibytes = Math.floor((bavail * bsize) / 2 ** 20);
  if (bavail * bsize < diskReserve)
    throw new Error(`only ${mebibytes} MiB are free; make room or move DATA_DIR`);
  return `${mebibytes} MiB free`;
};

const BEING_RESTORED = "not looked at: a backup is being restored";

/** Looks at the database, or says why there is nothing to look at. No file changes. */
const reading = async (
  { dataDir: path }: Config,
  look: (client: Client) => string | Promise<string>,
): Promise<string> => {
  const file = databasePath(path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.size) {
    assertNew(path, found ? "empty" : "missing");
    return "there is none yet; serve creates it";
  }
  if (isBeingRestored(path)) return BEING_RESTORED;
  let client: Client | undefined;
  try {
    client = openForReading(file);
    assertCurrent(client, migrations);
  } catch (caught) {
    const error = client ? asDiskError(client, caught) : caught;
    client?.close();
    throw error instanceof MigrationRefused ? error : new Error(openFault(file, error), { cause: error });
  }
  try {
    return await look(client);
  } catch (error) {
    if (!hasFailedToRead(client)) throw error;
    throw new Error(explainFailure(new DiskError(error)), { cause: error });
  } finally {
    client.close();
  }
};

const database: Probe = (config) =>
  reading(config, (client) => {
    const [problem] = client.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
    if (problem?.quick_check !== "ok")
      throw new Error(`it is damaged (${problem?.quick_check}); restore a backup`);
    const foreign = foreignObject(client, migrations);
    if (foreign !== undefined)
      throw new Error(
        `${foreign}: its schema was changed, no backup is taken of it; undo that, or restore a backup`,
      );
    return "intact, its migrations are current";
  });

const certificates: Probe = (config) =>
  reading(config, async (client) => {
    const all = await wireCertificateService(config, readingOf(client)).all();
    const faulty = all.flatMap((one) => explain(one, Date.now()) ?? []);
    if (faulty.length > 0) throw new Error(faulty.join(" "));
    if (all.length === 0) return "there are none";
    const present = all.flatMap((one) => {
      const said = underWay(one);
      return said === undefined ? [] : `; ${one.hostname}: ${said}`;
    });
    return `${all.length}, none of which needs anything${present.slice(0, MOST_NAMED).join("")}`;
  });

const sites: Probe = (config) =>
  reading(config, async (client) => {
    const found = await damagedDeploys(blobsOf(config.dataDir), servableDeploys(client));
    if (found.damaged === 0) return `${found.files} files of deployed sites, all whole`;
    const more = found.deploys.length > MOST_NAMED ? `, and ${found.deploys.length - MOST_NAMED} more` : "";
    throw new Error(
      `${found.damaged} of ${found.files} files are missing or damaged, which these deploys need: ${found.deploys.slice(0, MOST_NAMED).join(", ")}${more}; deploy these sites again and delete what stays damaged, or restore a backup`,
    );
  });

const backups: Probe = ({ dataDir: path, backupSchedule, backupDir }) => {
  if (backupSchedule === undefined) return "none are taken by the server: there is no BACKUP_SCHEDULE";
  assertBackupDirectory(backupDir, path);
  return `to ${backupDir}, which can be written`;
};

const server: Probe = async (config) => {
  if (isLocked(lockPath(config.dataDir))) return "one is running on this DATA_DIR";
  const { host, port } = config;
  try {
    await listen({ host, port, fetch: () => new Response() }).stop(0);
  } catch (error) {
    throw new Error(
      `cannot listen on ${host}:${port} (${messageOf(error)}); stop what listens there, or choose another --port`,
      { cause: error },
    );
  }
  return `none is running on this DATA_DIR; port ${config.port} on ${config.host} is free`;
};

const clock: Probe = () => {
  if (Date.now() < YEAR_2026) throw new Error(`it says ${new Date().toISOString()}; set the machine's clock`);
  return new Date().toISOString();
};

const PROBES: Record<string, Probe> = {
  "data directory": dataDir,
  disk,
  database,
  certificates,
  sites,
  backups,
  server,
  clock,
};

const attempt = async (check: string, probe: Probe, config: Config): Promise<Finding> => {
  try {
    return { check, ok: true, detail: await probe(config) };
  } catch (error) {
    return { check, ok: false, detail: messageOf(error) };
  }
};

export const doctorCommand = (): Command =>
  withSettings(
    new Command("doctor").description(
      "check settings, disk, database, sites, backups, port and clock, and say what to do",
    ),
  )
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }) => {
      const config = configOf(options as never);
      const findings: Finding[] = [{ check: "settings", ok: true, detail: "every setting has its form" }];
      for (const [check, probe] of Object.entries(PROBES)) findings.push(await attempt(check, probe, config));
      if (options.json) print(JSON.stringify(findings));
      else
        for (const { check, ok, detail } of findings)
          print(`${ok ? "ok    " : "FAILED"}  ${check}: ${detail}`);
      process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1;
    });
