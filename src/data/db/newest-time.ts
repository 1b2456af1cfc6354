import { sql } from "drizzle-orm";
import type { Database as Client } from "bun:sqlite";
import { auditEntries } from "./schema/audit.ts";
import { keptResponses } from "./schema/kept-responses.ts";
import { keys } from "./schema/keys.ts";
import { orders } from "./schema/orders.ts";
import { statement } from "./statement.ts";

const NEWEST = statement<{ at: number }>(sql`
  SELECT max(
    ifnull((SELECT ${auditEntries.at} FROM ${auditEntries} ORDER BY ${auditEntries.id} DESC LIMIT 1), 0),
    ifnull((SELECT ${keptResponses.createdAt} FROM ${keptResponses} ORDER BY ${keptResponses.id} DESC LIMIT 1), 0),
    ifnull((SELECT ${orders.createdAt} FROM ${orders} ORDER BY ${orders.id} DESC LIMIT 1), 0),
    ifnull((SELECT max(${keys.lastUsedAt}) FROM ${keys}), 0)) AS at`);

/** The newest time of an act in the database; undefined if there was none. */
export const newestTime = (client: Client): number | undefined => NEWEST.get(client)?.at || undefined;
