import type { Log } from "../cluster/log.ts";
import type { Config } from "../config/config.ts";
import { UsageError } from "./usage-error.ts";

/** The log that DATABASE_URL names. @throws UsageError without it, OperatorError if a file that it names cannot be read */
export const openLogOf = async ({ databaseUrl }: Config): Promise<Log> => {
  if (!databaseUrl)
    throw new UsageError(
      "DATABASE_URL is not set: it names etcd or PostgreSQL, such as etcd://10.0.0.1,10.0.0.2,10.0.0.3/adoption-store",
    );
  const { openLog } = await import("../cluster/open-log.ts");
  return openLog(databaseUrl);
};
