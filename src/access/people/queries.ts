import { sql } from "drizzle-orm";
import { record as recordEntry } from "../../data/db/audit.ts";
import { cachedReads } from "../../data/db/fresh-reads.ts";
import type { Commit } from "../../data/db/commit.ts";
import { endOperatorSessions } from "../../data/db/management-access.ts";
import type { Database } from "../../data/db/open.ts";
import { identities, invitations, passkeys, people } from "../../data/db/schema/people.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import type { Action } from "../../data/db/actions.ts";
import type { Passkey, Person } from "./person.ts";

export const COLUMNS = sql`
  ${columnsOf(people, "id", "name", "email", "role", "handle", "createdAt", "lastSeenAt")},
  (SELECT ${invitations.expiresAt} FROM ${invitations} WHERE ${invitations.personId} = ${people.id}) AS invitedUntil,
  (SELECT json_group_array(json_object('id', ${passkeys.id}, 'name', ${passkeys.name},
      'createdAt', ${passkeys.createdAt}, 'lastUsedAt', ${passkeys.lastUsedAt}) ORDER BY ${passkeys.id})
    FROM ${passkeys} WHERE ${passkeys.personId} = ${people.id}) AS passkeys,
  (SELECT json_group_array(${identities.issuer} ORDER BY ${identities.issuer})
    FROM ${identities} WHERE ${identities.personId} = ${people.id}) AS issuers`;

type StoredPerson = Pick<
  typeof people.$inferSelect,
  "id" | "name" | "email" | "role" | "handle" | "createdAt" | "lastSeenAt"
>;

export interface Row extends StoredPerson {
  invitedUntil: number | null;
  /** JSON. */
  passkeys: string;
  issuers: string;
}

const toPasskey = ({ lastUsedAt, ...passkey }: Passkey & { lastUsedAt: number | null }): Passkey => ({
  ...passkey,
  lastUsedAt: lastUsedAt ?? undefined,
});

export const toPerson = (row: Row): Person => ({
  ...row,
  email: row.email ?? "",
  lastSeenAt: row.lastSeenAt ?? undefined,
  invitedUntil: row.invitedUntil ?? undefined,
  passkeys: (JSON.parse(row.passkeys) as (Passkey & { lastUsedAt: number | null })[]).map(toPasskey),
  issuers: JSON.parse(row.issuers) as string[],
});

export const IS_PRESENT = sql`${people.removedAt} IS NULL`;
export const IS_PERSON = sql`${people.id} = ${value("id")} AND ${IS_PRESENT}`;

export const FIND = statement(sql`SELECT ${COLUMNS} FROM ${people} WHERE ${IS_PERSON}`).as(toPerson);

const MAX_CACHED_PEOPLE = 1000;

/** The shared parts of the repository. */
export const openShared = (database: Database) => {
  const { client, commit, fresh } = database;
  const cache = cachedReads(database, MAX_CACHED_PEOPLE, (id: number) => FIND.get(client, { id }));
  /** Commits, then clears the caches. */
  const change: Commit = async (writes, last) => {
    try {
      return await commit(writes, last);
    } finally {
      cache.clear();
    }
  };
  /** Records a change. If it lets the first administrator sign in, the sessions of sign-in links end. */
  const record: typeof recordEntry = (act, entry) =>
    entry ? [...recordEntry(act, entry), ...endOperatorSessions(client, act)] : [];
  /** Records a change that a person made to their sign-in methods. */
  const recordOwn = (action: Action, id: number | undefined, now: number) => {
    const person = id === undefined ? undefined : FIND.get(client, { id });
    if (!person) return [];
    const { name } = person;
    const actor = { kind: "person", id: person.id, name } as const;
    return record({ actor, now }, { action, id: person.id, label: name });
  };
  return { client, cache, change, record, recordOwn, commit, fresh };
};

export type Shared = ReturnType<typeof openShared>;
