/** SQLite truncates the log to this size when it restarts the log. While checkpoints succeed, the log stays smaller. */
export const MAX_LOG_BYTES = 16 * 2 ** 20;

/** For every connection to a database in use. */
export const PRAGMAS = [
  "PRAGMA busy_timeout=5000",
  "PRAGMA journal_mode=WAL",
  // FULL: a commit returns when the log is on disk. A 2xx response to a write promises that.
  "PRAGMA synchronous=FULL",
  "PRAGMA foreign_keys=ON",
  "PRAGMA trusted_schema=OFF",
  "PRAGMA cache_size=-16384",
  `PRAGMA journal_size_limit=${MAX_LOG_BYTES}`,
] as const;
