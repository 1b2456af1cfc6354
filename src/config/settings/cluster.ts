import { parseBlobsUrl } from "../../lib/blobs-url.ts";
import { parseDatabaseUrl } from "../../lib/database-url.ts";
import { optional, span } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** Several machines with one store. */
export const CLUSTER = {
  databaseUrl: {
    env: "DATABASE_URL",
    flag: "database-url",
    type: "text",
    placeholder: "url",
    isSecret: true,
    fallback: "",
    example: "etcd://USER:PASSWORD@etcd1.example.org,etcd2.example.org,etcd3.example.org/adoption-store",
    form: "an address of etcd or PostgreSQL",
    help: "etcd or PostgreSQL that joins several machines to one store; other users of the machine can see flags, so use the variable or the file",
    parse: optional(parseDatabaseUrl),
  },
  staleLimit: {
    env: "STALE_LIMIT",
    flag: "stale-limit",
    type: "text",
    placeholder: "span",
    fallback: "1s",
    form: "a time span from 0s to 24h, such as 1s",
    help: "with DATABASE_URL, how long sites and redirects go on when etcd or PostgreSQL cannot be reached",
    parse: span(0, 86_400_000),
  },
  blobsUrl: {
    env: "BLOBS_URL",
    flag: "blobs-url",
    type: "text",
    placeholder: "url",
    isSecret: true,
    fallback: "",
    example: "s3://my-bucket/sites?endpoint=https://s3.example.org&region=eu-central-1",
    form: "an address of a bucket, such as s3://my-bucket/sites",
    help: "bucket that has the files of all sites; keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, too",
    parse: optional(parseBlobsUrl),
  },
} as const satisfies Record<string, Setting>;
