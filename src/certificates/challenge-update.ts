import { readFileSync, statSync } from "node:fs";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import type { Server } from "../protocols/dns/network.ts";
import { type TsigKey, parseTsigKey } from "../protocols/dns/tsig.ts";
import { type TxtUpdate, type UpdateDependencies, updateTxt } from "../protocols/dns/update.ts";
import type { ChallengeRecords } from "./challenge-records.ts";

/** The permission of others to read. The group may be that of the name server. */
const READABLE_BY_OTHERS = 0o004;

const refused = (file: string, why: string, cause?: unknown) =>
  new OperatorError(`DNS_UPDATE_KEY_FILE ${file}: ${why}`, { cause });

/** @throws OperatorError, which never contains the key */
const readKey = (file: string): TsigKey => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw refused(
      file,
      `cannot be read (${reasonOf(error)}); give the path of a file that this user may read`,
      error,
    );
  }
  if ((statSync(file).mode & READABLE_BY_OTHERS) !== 0)
    throw refused(file, `every user may read the key: run chmod o= ${file}`);
  const key = parseTsigKey(text);
  if (!key)
    throw refused(
      file,
      "must hold one key for hmac-sha256, as tsig-keygen writes it: run tsig-keygen -a hmac-sha256",
    );
  return key;
};

/**
 * Changes records by dynamic updates of a zone (RFC 2136), signed with a TSIG key.
 * @param keyFile as tsig-keygen writes it @throws OperatorError if the key cannot be used
 */
export const challengeUpdates = (
  { server, zone, keyFile }: { server: Server; zone: string; keyFile: string },
  dependencies: UpdateDependencies,
): ChallengeRecords => {
  const key = readKey(keyFile);
  const change = async (update: Omit<TxtUpdate, "zone">) => {
    try {
      await updateTxt({ zone, ...update }, { server, key }, dependencies);
    } catch (error) {
      throw new Error(`DNS_UPDATE_SERVER did not change ${zone}: ${reasonOf(error)}`, { cause: error });
    }
  };
  return {
    add: (name, value) => change({ action: "add", name, value }),
    remove: (name, value) => change({ action: "remove", name, value }),
  };
};
