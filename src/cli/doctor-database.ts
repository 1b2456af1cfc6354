import { siteStorage } from "../app/objects.ts";
import { damagedDeploys } from "../backups/site-files.ts";
import type { Config } from "../config/config.ts";
import { databaseFiles, databasePath } from "../data-dir/paths.ts";
import { fileFault, firstFault } from "../data-dir/checks.ts";
import { DiskError, explainFailure, hasFailedToRead } from "../db/failures.ts";
import { readingOf } from "../db/readonly.ts";
import type { Client } from "../db/snapshot.ts";
import { ForeignSchema, UnsoundDatabase, assertSound } from "../db/integrity.ts";
import { servableDeploys } from "../db/stored-deploys.ts";
import { describeAttempt, explanations } from "../certificates/summary.ts";
import { readableCertificates } from "../app/command-services.ts";
import type { Concern, Probe } from "./doctor-finding.ts";
import { NONE, openForCommand } from "./database.ts";
import { creationAdvice } from "./service-state.ts";
import { formatNames } from "./print/output.ts";

/** The most names on one line. */
const MAX_NAMED = 10;
type Look = (client: Client) => string | Promise<string>;

const lookAt = async (client: Client, look: Look): Promise<string> => {
  try {
    return await look(client);
  } catch (error) {
    if (!hasFailedToRead(client)) throw error;
    throw new Error(explainFailure(new DiskError(error)), { cause: error });
  } finally {
    client.close();
  }
};

/** Runs `look` on the database, or says why it cannot. */
const reading = async (config: Config, look: Look): Promise<string> => {
  const client = openForCommand(config);
  if (client === NONE) return `${NONE}: ${creationAdvice(config.dataDir)}`;
  return typeof client === "string" ? client : lookAt(client, look);
};

/** `reading` for the checks after that of the database, which has said why the database cannot be opened. */
const readingAgain = async (config: Config, look: Look): Promise<string | Concern> => {
  let client: Client | string;
  try {
    client = openForCommand(config);
  } catch {
    return { warning: "not checked: the database cannot be read" };
  }
  if (client === NONE) return "not checked: there is no database yet";
  return typeof client === "string" ? client : lookAt(client, look);
};

/** Says what to do about a database that cannot be backed up. */
const unsoundFault = (error: UnsoundDatabase): Error =>
  new Error(
    error instanceof ForeignSchema
      ? `${error.message}: its schema was changed, so it cannot be backed up: undo the change, or restore a backup`
      : `${error.message}, so it cannot be backed up: restore a backup with adoption-store restore FILE`,
    { cause: error },
  );

/** Checks everything that a backup checks. */
export const database: Probe = async (config, { quick }) => {
  const look = () =>
    reading(config, (client) => {
      assertSound(client, { quick });
      return quick
        ? "no damage found, all migrations applied; indexes were not compared with their tables (--quick)"
        : "intact, all migrations applied";
    });
  const fault = firstFault(databaseFiles(databasePath(config.dataDir)), fileFault);
  if (fault !== undefined) throw new Error(fault);
  let first: UnsoundDatabase;
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof UnsoundDatabase)) throw error;
    first = error;
  }
  // SQLite reports a failed read of the log as damage, too. Real damage shows again on the second try.
  try {
    await look();
  } catch (error) {
    throw error instanceof UnsoundDatabase ? unsoundFault(error) : error;
  }
  throw new Error(explainFailure(new DiskError(first)), { cause: first });
};

export const certificates: Probe = (config) =>
  readingAgain(config, async (client) => {
    const readable = readableCertificates(config, readingOf(client));
    const all = await readable.all();
    const faulty = explanations(all, Date.now(), await readable.places());
    if (faulty.length > 0) throw new Error(faulty.join(" "));
    const issued = all.filter((one) => one.issued !== undefined).length;
    if (all.length === 0) return "there are none";
    const present = all.flatMap((one) => {
      const progress = describeAttempt(one);
      return progress === undefined ? [] : `; ${one.hostname}: ${progress}`;
    });
    const requested = all.length === issued ? "" : `; ${all.length - issued} requested`;
    return `${issued} issued, all in order${requested}${present.slice(0, MAX_NAMED).join("")}`;
  });

/** Reads every file that a deploy needs. */
export const sites: Probe = (config, { quick }) =>
  readingAgain(config, async (client) => {
    if (quick) return "not read (--quick)";
    const found = await damagedDeploys(siteStorage(config), servableDeploys(client));
    if (found.damaged === 0) return `${found.files} files of deployed sites, all intact`;
    throw new Error(
      `${found.damaged} of ${found.files} files are missing or damaged, in the deploys ${formatNames(found.deploys, MAX_NAMED)}: deploy these sites again and delete the damaged deploys, or restore a backup`,
    );
  });
