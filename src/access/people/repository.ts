import { type SQL, sql } from "drizzle-orm";
import { changesBetween } from "../../data/db/audit.ts";
import { isAdministrator, isLastPersonToGrant } from "../../data/db/management-access.ts";
import type { Database } from "../../data/db/open.ts";
import { identities, invitations, passkeys, people } from "../../data/db/schema/people.ts";
import { insert, set, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { foldEmail } from "../../lib/email.ts";
import { access, accounts } from "./access-repository.ts";
import type { Person, Role } from "./person.ts";
import { COLUMNS, FIND, IS_PERSON, IS_PRESENT, openShared, type Shared, toPerson } from "./queries.ts";

export type { NewPasskey } from "./access-repository.ts";

export interface NewPerson {
  name: string;
  email: string;
  role: Role;
}

export interface PersonChange {
  name?: string | undefined;
  role?: Role | undefined;
}

/** An invitation, as it is stored. */
interface InvitationRecord {
  /** SHA-256 of its token. */
  hash: string;
  expiresAt: number;
}

/** The privileges of the person are still those that the caller's own were compared with. */
const IS_UNCHANGED = sql`${IS_PERSON} AND ${people.role} = ${value("expectedRole")}`;

const LIST = statement(sql`
  SELECT ${COLUMNS}
  FROM ${people}
  WHERE ${IS_PRESENT} AND ${people.id} > ${value("after")}
  ORDER BY ${people.id}
  LIMIT ${value("limit")}`).as(toPerson);

const ADMINISTRATOR = statement(sql`
  SELECT ${people.id}
  FROM ${people}
  WHERE ${people.role} = 'administrator' AND ${IS_PRESENT}`);

const JOINED_ADMINISTRATOR = statement(sql`
  SELECT ${people.id}
  FROM ${people}
  WHERE ${isAdministrator(people)}`);

const ADD = statement<{ id: number }>(sql`
  ${insert(people, { ...valuesFor("name", "email", "foldedEmail", "role", "handle"), createdAt: value("now") })}
  ON CONFLICT (folded_email) DO NOTHING
  RETURNING ${people.id} AS id`);

const inviteWhere = (condition: SQL) => sql`
  ${insert(invitations, { personId: people.id, createdAt: value("now"), ...valuesFor("hash", "expiresAt") })}
  FROM ${people}
  WHERE ${condition}`;

const INVITE_NEW = statement(inviteWhere(sql`${people.handle} = ${value("handle")}`));

const INVITE = statement<{ id: number }>(sql`
  ${inviteWhere(IS_UNCHANGED)}
  ON CONFLICT (person_id) DO UPDATE ${set(invitations, {
    hash: sql`excluded.hash`,
    createdAt: sql`excluded.created_at`,
    expiresAt: sql`excluded.expires_at`,
  })}
  RETURNING ${invitations.personId} AS id`);

const NEW_ROLE = sql`coalesce(${value("role")}, ${people.role})`;

const CHANGE = statement<{ name: string; role: Role }>(sql`
  ${update(people, { name: sql`coalesce(${value("name")}, ${people.name})`, role: NEW_ROLE })}
  WHERE ${IS_UNCHANGED} AND (${NEW_ROLE} = 'administrator' OR NOT ${isLastPersonToGrant})
  RETURNING ${people.name} AS name, ${people.role} AS role`);

const REMOVE = statement<{ id: number }>(sql`
  ${update(people, { email: null, foldedEmail: null, removedAt: value("now") })}
  WHERE ${IS_UNCHANGED} AND NOT ${isLastPersonToGrant}
  RETURNING ${people.id} AS id`);

/** A removed person's ways to sign in. */
const DELETE_ACCESS = [passkeys, identities, invitations].map((table) =>
  statement(sql`
    DELETE FROM ${table}
    WHERE ${table.personId} IN (
      SELECT ${people.id} FROM ${people} WHERE ${people.id} = ${value("id")} AND ${people.removedAt} IS NOT NULL)`),
);

const TOUCH = statement(sql`
  ${update(people, { lastSeenAt: value("at") })}
  WHERE ${IS_PERSON} AND (${people.lastSeenAt} IS NULL OR ${people.lastSeenAt} < ${value("at")})`);

const reads = ({ client, cache, commit, fresh }: Shared) => ({
  find: async (id: number): Promise<Person | undefined> => FIND.get(client, { id }),
  /** The person of a request. The result is never older than the last acknowledged change. */
  findSignedIn: cache.find,
  /** The people after the id `after`, ascending by id. */
  list: async (page: { after: number; limit: number }): Promise<Person[]> => LIST.all(client, page),
  /** True if the store has an administrator, who may not have accepted the invitation yet. */
  async hasAdministrator(): Promise<boolean> {
    await fresh();
    return ADMINISTRATOR.get(client) !== undefined;
  },
  /** True if the store has an administrator who can sign in. */
  async hasJoinedAdministrator(): Promise<boolean> {
    await fresh();
    return JOINED_ADMINISTRATOR.get(client) !== undefined;
  },
  /** Stores when people were last seen, by their ids. */
  async touch(lastSeen: ReadonlyMap<number, number>): Promise<void> {
    if (lastSeen.size === 0) return;
    await commit([...lastSeen].map(([id, at]) => TOUCH.with({ id, at })));
  },
});

const management = ({ client, change, record }: Shared) => ({
  /** Stores a person and their invitation in one atomic step; undefined if another person has the address. */
  async add(
    { name, email, role }: NewPerson,
    { handle, ...invitation }: InvitationRecord & { handle: string },
    act: Act,
  ): Promise<Person | undefined> {
    const { now } = act;
    const values = { name, email, foldedEmail: foldEmail(email), role, handle, now, ...invitation };
    const [[row]] = await change([ADD.with(values), INVITE_NEW.with(values)], ([[added]]) =>
      record(
        act,
        added && {
          action: "person.added",
          id: added.id,
          label: name,
          changes: changesBetween({}, { role }, ["role"]),
        },
      ),
    );
    return row && FIND.get(client, row);
  },
  /** Replaces the invitation of a person who still has this role. False if nothing was changed. */
  async invite(
    { id, name, role: expectedRole }: Person,
    invitation: InvitationRecord,
    act: Act,
  ): Promise<boolean> {
    const values = { id, expectedRole, now: act.now, ...invitation };
    const [rows] = await change([INVITE.with(values)], ([[invited]]) =>
      record(act, invited && { action: "person.invited", id, label: name }),
    );
    return rows.length > 0;
  },
  /** Changes a person who still has this role, unless they are the last to grant all scopes and lose that. False if nothing was changed. */
  async change({ id, role: expectedRole }: Person, wishes: PersonChange, act: Act): Promise<boolean> {
    const { name = null, role = null } = wishes;
    const [, rows] = await change(
      [FIND.with({ id }), CHANGE.with({ id, expectedRole, name, role, now: act.now })],
      ([[before], [after]]) =>
        record(
          act,
          before &&
            after && {
              action: "person.changed",
              id,
              label: after.name,
              changes: changesBetween(before, after, ["name", "role"]),
            },
        ),
    );
    return rows.length > 0;
  },
  /**
   * Removes a person who still has this role, and all that they could sign in with, in one atomic step, unless they are the
   * last to grant all scopes. False if nothing was changed.
   */
  async remove({ id, name, role: expectedRole }: Person, act: Act): Promise<boolean> {
    const [rows] = await change(
      [
        REMOVE.with({ id, expectedRole, now: act.now }),
        ...DELETE_ACCESS.map((query) => ({ query, values: { id } })),
      ],
      ([[removed]]) => record(act, removed && { action: "person.removed", id, label: name }),
    );
    return rows.length > 0;
  },
});

/** People, and their ways to sign in. A removed person is not found. */
export const personRepository = (database: Database) => {
  const shared = openShared(database);
  return { ...reads(shared), ...management(shared), ...access(shared), ...accounts(shared) };
};

export type PersonRepository = ReturnType<typeof personRepository>;
