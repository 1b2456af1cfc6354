import { readFile, rm } from "node:fs/promises";
import { writeDurably } from "../../lib/durable.ts";
import type { Logger } from "../../lib/log.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { resultCode } from "../../lib/storage-errors.ts";
import type { KeyService } from "./service.ts";

/** @throws OperatorError if the path is a directory */
const writeKey = async (path: string, secret: string): Promise<void> => {
  try {
    await writeDurably(path, `${secret}\n`);
  } catch (error) {
    if (resultCode(error) !== "EISDIR") throw error;
    throw new OperatorError(
      `${path} is a directory. Move it away: the server writes the first key to a file with this name`,
      { cause: error },
    );
  }
};

/**
 * The file with the first key. If the file has no valid key, and no key or administrator can create keys with all
 * scopes, a new first key replaces it.
 * @returns the file if its key is valid: a restored database has only its own keys
 */
export const openAdminKey = async (
  path: string,
  keys: KeyService,
  log: Logger,
): Promise<{ path: string; isNew: boolean } | undefined> => {
  const secret = await readFile(path, "utf8").catch(() => undefined);
  if (secret !== undefined && (await keys.authenticate(secret.trim()))) return { path, isNew: false };
  const created = await keys.createFirst({
    save: (first) => writeKey(path, first),
    remove: () => rm(path, { force: true }),
  });
  if (created) return { path, isNew: true };
  if (secret !== undefined)
    log.warn(
      `${path}: this key is revoked or belongs to another database: remove the file, and create a key with: adoption-store keys create --name NAME --scope '*'`,
    );
  return undefined;
};
