import { readFile, rm } from "node:fs/promises";
import { adminKeyPath } from "../data-dir/paths.ts";
import type { KeyService } from "../keys/service.ts";
import { writeDurably } from "../lib/durable.ts";
import type { Logger } from "../lib/log.ts";

/**
 * Creates the first key of a new store, in a file of DATA_DIR.
 * @returns the file, if it still exists and its key is valid: a restored database knows only its own keys
 */
export const openAdminKey = async (
  dataDir: string,
  keys: KeyService,
  log: Logger,
): Promise<string | undefined> => {
  const path = adminKeyPath(dataDir);
  await keys.createFirst({
    save: (secret) => writeDurably(path, `${secret}\n`),
    remove: () => rm(path, { force: true }),
  });
  const secret = await readFile(path, "utf8").catch(() => undefined);
  if (secret === undefined) return undefined;
  if (await keys.authenticate(secret.trim())) return path;
  log.warn(
    `${path}: this key is revoked or belongs to another database: remove the file, and create a key with: adoption-store keys create --name NAME --scope '*'`,
  );
  return undefined;
};
