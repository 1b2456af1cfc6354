/** The size that SQLite truncates the log to when it restarts it: more than a log has while checkpoints succeed. */
export const LOG_LIMIT = 16 * 2 ** 20;

/** For every connection to a database in use. */
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
