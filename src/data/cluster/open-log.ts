import { readFileSync } from "node:fs";
import type { DatabaseUrl, EngineTls } from "../../lib/database-url.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { logOf } from "./engines/engine.ts";
import type { Debug } from "./engines/write-lease.ts";
import type { Log, PemFiles } from "./log.ts";

/**
 * Opens the log that DATABASE_URL names. It connects when it is used first.
 * @param debug logs decisions about the write lease
 * @throws OperatorError if a file of TLS cannot be read
 */
export const openLog = async (url: DatabaseUrl, debug?: Debug): Promise<Log> => {
  const tls = url.tls && readFiles(url.tls);
  const engine =
    url.engine === "etcd"
      ? (await import("./engines/etcd.ts")).openEtcd(url, tls)
      : (await import("./engines/postgres.ts")).openPostgres(url, tls);
  return logOf(engine, debug);
};

const readFiles = (tls: EngineTls): PemFiles =>
  Object.fromEntries(
    (["ca", "cert", "key"] as const).flatMap((name) => {
      const path = tls[name];
      return path === undefined ? [] : [[name, readFile(name, path)]];
    }),
  );

const readFile = (name: string, path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new OperatorError(
      `DATABASE_URL: the file of the option ${name} cannot be read: ${reasonOf(error)}`,
    );
  }
};
