import { anyText, bytes, integer } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** The directory of the data, and how the server writes there. */
export const STORAGE = {
  dataDir: {
    env: "DATA_DIR",
    flag: "data-dir",
    type: "text",
    placeholder: "directory",
    fallback: "./data",
    form: "a directory",
    help: "directory of the database, the sites and the first key",
    // Bun removes white space from the ends of a database's path.
    parse: (text) => (text === text.trim() ? anyText(text) : undefined),
  },
  diskReserve: {
    env: "DISK_RESERVE",
    flag: "disk-reserve",
    type: "size",
    placeholder: "size",
    fallback: "64MiB",
    form: "a size up to 1024GiB, such as 64MiB",
    help: "disk space to keep free; with less, deploys are refused and /readyz reports not ready",
    parse: bytes(0, 2 ** 40),
  },
  commitGroupSize: {
    env: "COMMIT_GROUP_SIZE",
    flag: "commit-group-size",
    type: "number",
    placeholder: "number",
    fallback: "1024",
    form: "a number from 1 to 10000",
    help: "maximum number of writes that share one transaction; 1 commits each write by itself",
    parse: integer(1, 10_000),
  },
  auditDays: {
    env: "AUDIT_DAYS",
    flag: "audit-days",
    type: "number",
    placeholder: "days",
    fallback: "365",
    form: "a number from 0 to 36500",
    help: "how many days the audit log keeps an entry; 0 keeps all",
    parse: integer(0, 36_500),
  },
} as const satisfies Record<string, Setting>;
