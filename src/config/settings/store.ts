import { bytes, integer, boolean } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** Limits of the store and its API. */
export const STORE = {
  bodyLimit: {
    env: "BODY_LIMIT",
    flag: "body-limit",
    fallback: "64KiB",
    form: "a size from 1KiB to 1MiB, such as 64KiB",
    help: "largest JSON body",
    parse: bytes(2 ** 10, 2 ** 20),
  },
  authFailuresPerMinute: {
    env: "AUTH_FAILURES_PER_MINUTE",
    flag: "auth-failures-per-minute",
    fallback: "100",
    form: "a number from 1 to 1000000",
    help: "failed authentications per minute and client address",
    parse: integer(1, 1_000_000),
  },
  commitGroupSize: {
    env: "COMMIT_GROUP_SIZE",
    flag: "commit-group-size",
    fallback: "1024",
    form: "a number from 1 to 10000",
    help: "maximum number of writes that share one fsync",
    parse: integer(1, 10_000),
  },
  strictCategories: {
    env: "STRICT_CATEGORIES",
    flag: "strict-categories",
    fallback: "false",
    form: "true or false",
    help: "true: animals may only name categories that exist",
    parse: boolean,
  },
  diskReserve: {
    env: "DISK_RESERVE",
    flag: "disk-reserve",
    fallback: "64MiB",
    form: "a size up to 1024GiB, such as 64MiB",
    help: "disk space to keep free: deploys leave it, and below it /readyz reports not ready",
    parse: bytes(0, 2 ** 40),
  },
} as const satisfies Record<string, Setting>;
