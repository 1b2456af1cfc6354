import { sql } from "drizzle-orm";

/** True for a key that can manage keys and is neither revoked nor expired. @param row the name or alias of a row of `keys` */
export const isAdminKey = (row: string) =>
  sql.join([
    sql.raw(`${row}.revoked_at is null and (' ' || ${row}.scopes || ' ' glob '* [*] *'
      or ' ' || ${row}.scopes || ' ' glob '* keys:admin *') and coalesce(${row}.expires_at > `),
    sql`${sql.placeholder("now")}, true)`,
  ]);

/** True for an administrator who can sign in to the console. @param row the name or alias of a row of `people` */
export const isAdministrator = (row: string) =>
  sql.raw(`${row}.role = 'administrator' and ${row}.removed_at is null and (
    exists (select 1 from passkeys where passkeys.person_id = ${row}.id)
    or exists (select 1 from identities where identities.person_id = ${row}.id))`);
