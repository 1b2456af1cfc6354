/** Bytes of the log that stay when SQLite begins it anew: more than it has while nothing holds up its checkpoints. */
export const LOG_LIMIT = 16 * 2 ** 20;

/** Of every connection to a database that is in use. */
export const PRAGMAS = [
  "PRAGMA busy_timeout=5000",
  "PRAGMA journal_mode=WAL",
  // FULL: a commit returns when the log is on disk. A 2xx answer to a write means that it is.
  "PRAGMA synchronous=FULL",
  "PRAGMA foreign_keys=ON",
  "PRAGMA trusted_schema=OFF",
  "PRAGMA cache_size=-16384",
  `PRAGMA journal_size_limit=${LOG_LIMIT}`,
] as const;
