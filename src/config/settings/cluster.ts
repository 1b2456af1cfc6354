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
    help: "with DATABASE_URL, how long sites, redirects and TLS handshakes go on when etcd or PostgreSQL cannot be reached",
    parse: span(0, 86_400_000),
  },
} as const satisfies Record<string, Setting>;
