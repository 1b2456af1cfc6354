/** Of every connection to a database that is in use. */
export const PRAGMAS = [
  "PRAGMA busy_timeout=5000",
  "PRAGMA journal_mode=WAL",
  // FULL: a commit returns when the log is on disk. A 2xx answer to a write means that it is.
  "PRAGMA synchronous=FULL",
  "PRAGMA foreign_keys=ON",
  "PRAGMA trusted_schema=OFF",
  "PRAGMA cache_size=-16384",
] as const;
