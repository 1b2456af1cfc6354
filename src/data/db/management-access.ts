import { type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import type { Act } from "../../lib/actor.ts";
import { sessionIdOf } from "../../lib/random.ts";
import { record } from "./audit.ts";
import type { Statement } from "./commit.ts";
import { browserStates } from "./schema/console.ts";
import { keys } from "./schema/keys.ts";
import { identities, passkeys, people } from "./schema/people.ts";
import { type Connection, columnsOf, statement, value } from "./statement.ts";

/** A table, or an alias of it. */
type Row<Names extends string> = Readonly<Record<Names, AnySQLiteColumn>>;
type Person = Row<"id" | "role" | "removedAt">;
type Key = Row<"id" | "scopes" | "revokedAt" | "expiresAt">;

/** True for an administrator who can sign in to the console. */
export const isAdministrator = ({ id, role, removedAt }: Person) => sql`
  ${role} = 'administrator' AND ${removedAt} IS NULL AND (
    EXISTS (SELECT 1 FROM ${passkeys} WHERE ${passkeys.personId} = ${id})
    OR EXISTS (SELECT 1 FROM ${identities} WHERE ${identities.personId} = ${id}))`;

/** True for a key that can create keys and is neither revoked nor expired. */
const isAdminKey = ({ scopes, revokedAt, expiresAt }: Key) => sql`
  ${revokedAt} IS NULL
  AND (' ' || ${scopes} || ' ' GLOB '* [*] *' OR ' ' || ${scopes} || ' ' GLOB '* keys:admin *')
  AND (${expiresAt} IS NULL OR ${expiresAt} > ${value("now")})`;

const adminKey = alias(keys, "admin_key");
const administrator = alias(people, "administrator");

/** The keys and people that can create keys, with the limits of the keys that they can create. */
const MANAGERS = sql`(
  SELECT 'key' AS kind, ${adminKey.id} AS id, ${adminKey.scopes} AS scopes, ${adminKey.expiresAt} AS expires_at
  FROM ${keys} AS ${adminKey}
  WHERE ${isAdminKey(adminKey)}
  UNION ALL
  SELECT 'person', ${administrator.id}, '*', NULL
  FROM ${people} AS ${administrator}
  WHERE ${isAdministrator(administrator)})`;

/**
 * True if no other manager than the row grants the scope for as long as the row does. `*` counts as a scope because it
 * includes the scopes of later versions.
 */
const isOnlyGrantor = (kind: "key" | "person", id: AnySQLiteColumn, scope: SQL, expiresAt: SQL) => sql`
  NOT EXISTS (
    SELECT 1
    FROM ${MANAGERS} AS other
    WHERE NOT (other.kind = ${kind} AND other.id = ${id})
      AND (' ' || other.scopes || ' ' GLOB '* [*] *' OR instr(' ' || other.scopes || ' ', ' ' || ${scope} || ' '))
      AND (other.expires_at IS NULL OR other.expires_at >= ${expiresAt}))`;

/**
 * True for a key that is the last to grant one of its scopes: it can create keys with the scope, and no other key or
 * administrator can do so for as long. A key never grants scopes that it lacks, so the API could not restore the scope.
 * Every statement that removes access includes this condition. So if two concurrent requests would remove the last two
 * managers, one of them fails.
 */
export const isLastKeyToGrant = sql`(${isAdminKey(keys)} AND EXISTS (
  SELECT 1
  FROM json_each('["' || replace(${keys.scopes}, ' ', '","') || '"]') AS scope
  WHERE ${isOnlyGrantor("key", keys.id, sql`scope.value`, sql`${keys.expiresAt}`)}))`;

/** True for a person who is the last to grant a scope. */
export const isLastPersonToGrant = sql`(${isAdministrator(people)}
  AND ${isOnlyGrantor("person", people.id, sql`'*'`, sql`NULL`)})`;

/** True if a key, or an administrator who can sign in, can create keys with all scopes. */
export const hasFullAccess = sql`EXISTS (
  SELECT 1 FROM ${MANAGERS} AS manager WHERE ' ' || manager.scopes || ' ' GLOB '* [*] *')`;

type EndedSession = Pick<typeof browserStates.$inferSelect, "hash" | "device">;

const END_OPERATOR_SESSIONS = statement<EndedSession>(sql`
  DELETE FROM ${browserStates}
  WHERE ${browserStates.kind} = 'session'
    AND ${browserStates.holder} = 'operator:0'
    AND EXISTS (SELECT 1 FROM ${people} WHERE ${isAdministrator(people)})
  RETURNING ${columnsOf(browserStates, "hash", "device")}`);

/** Returns the statements that record the ends of sessions. */
export const recordEnds = (act: Act, ended: readonly EndedSession[]): readonly Statement[] =>
  ended.flatMap(({ hash, device }) =>
    record(act, { action: "session.closed", id: sessionIdOf(hash), label: device }),
  );

/**
 * Ends the sessions of sign-in links if an administrator can sign in, and returns the statements that record it. Every write
 * that may let an administrator sign in, or opens a session, calls it inside its transaction. So the sessions stay ended even
 * if the store has no administrator later.
 */
export const endOperatorSessions = (connection: Connection, act: Act): readonly Statement[] =>
  recordEnds(act, END_OPERATOR_SESSIONS.all(connection));
