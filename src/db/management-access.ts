import { and, eq, sql } from "drizzle-orm";
import type { Act } from "../lib/actor.ts";
import { sessionIdOf } from "../lib/random.ts";
import { type Audit, auditing } from "./audit.ts";
import type { Statement } from "./commit.ts";
import type { Database } from "./open.ts";
import { browserStates } from "./schema/console.ts";

const now = sql.placeholder("now");

/** True for an administrator who can sign in to the console. @param row the name or alias of a row of `people` */
export const isAdministrator = (row: string) =>
  sql.raw(`${row}.role = 'administrator' and ${row}.removed_at is null and (
    exists (select 1 from passkeys where passkeys.person_id = ${row}.id)
    or exists (select 1 from identities where identities.person_id = ${row}.id))`);

/** True for a key that can create keys and is neither revoked nor expired. @param row the name or alias of a row of `keys` */
const isAdminKey = (row: string) =>
  sql`${sql.raw(`${row}.revoked_at is null and (' ' || ${row}.scopes || ' ' glob '* [*] *'
    or ' ' || ${row}.scopes || ' ' glob '* keys:admin *')`)}
    and (${sql.raw(`${row}.expires_at`)} is null or ${sql.raw(`${row}.expires_at`)} > ${now})`;

/** The keys and people that can create keys, with the limits of the keys that they can create. */
const MANAGERS = sql`(select 'key' as kind, id, scopes, expires_at from keys as admin_key where ${isAdminKey("admin_key")}
  union all select 'person', id, '*', null from people as administrator where ${isAdministrator("administrator")})`;

/**
 * True if no other manager than the row grants the scope for as long as the row does. `*` counts as a scope because it
 * includes the scopes of later versions.
 */
const isOnlyGrantor = (kind: "key" | "person", row: string, scope: string, expiresAt: string) =>
  sql`not exists (select 1 from ${MANAGERS} as other
    where not (other.kind = ${sql.raw(`'${kind}' and other.id = ${row}.id`)})
      and (' ' || other.scopes || ' ' glob '* [*] *' or instr(' ' || other.scopes || ' ', ' ' || ${sql.raw(scope)} || ' '))
      and (other.expires_at is null or other.expires_at >= ${sql.raw(expiresAt)}))`;

/**
 * True for a key that is the last to grant one of its scopes: it can create keys with the scope, and no other key or
 * administrator can do so for as long. A key never grants scopes that it lacks, so the API could not restore the scope.
 * Every statement that removes access includes this condition. So if two concurrent requests would remove the last two
 * managers, one of them fails.
 * @param row the name or alias of a row of `keys`
 */
export const isLastKeyToGrant = (row: string) =>
  sql`(${isAdminKey(row)} and exists (
    select 1 from json_each('["' || replace(${sql.raw(`${row}.scopes`)}, ' ', '","') || '"]') as scope
    where ${isOnlyGrantor("key", row, "scope.value", `${row}.expires_at`)}))`;

/** True for a person who is the last to grant a scope. @param row the name or alias of a row of `people` */
export const isLastPersonToGrant = (row: string) =>
  sql`(${isAdministrator(row)} and ${isOnlyGrantor("person", row, "'*'", "null")})`;

/** True if a key, or an administrator who can sign in, can create keys with all scopes. */
export const hasFullAccess = sql`exists (select 1 from ${MANAGERS} as manager where ' ' || manager.scopes || ' ' glob '* [*] *')`;

/** Returns the statements that record the ends of sessions. */
export const recordEnds = (
  record: Audit,
  act: Act,
  ended: readonly { hash: string; device: string | null }[],
): readonly Statement[] =>
  ended.flatMap(({ hash, device }) =>
    record(act, { action: "session.closed", id: sessionIdOf(hash), label: device }),
  );

/**
 * Returns a function that ends the sessions of sign-in links if an administrator can sign in, and returns the statements that
 * record it. Every write that may let an administrator sign in, or opens a session, calls it inside its transaction. So the
 * sessions stay ended even if the store has no administrator later.
 */
export const operatorSessionEnds = ({ client, orm }: Pick<Database, "client" | "orm">) => {
  const endStatement = orm
    .delete(browserStates)
    .where(
      and(
        eq(browserStates.kind, "session"),
        eq(browserStates.holder, "operator:0"),
        sql`exists (select 1 from people where ${isAdministrator("people")})`,
      ),
    )
    .returning({ hash: browserStates.hash, device: browserStates.device })
    .prepare();
  const record = auditing({ client });
  return (act: Act): readonly Statement[] => recordEnds(record, act, endStatement.all());
};
