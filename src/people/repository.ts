import { changesBetween } from "../db/audit.ts";
import type { Database } from "../db/open.ts";
import type { Act } from "../lib/actor.ts";
import { foldEmail } from "../lib/email.ts";
import { access, accounts } from "./access-repository.ts";
import type { Person } from "./person.ts";
import type { Role } from "./role.ts";
import { type Shared, openPeople, toPerson } from "./shared-repository.ts";

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
export interface InvitationRecord {
  /** SHA-256 of its token. */
  hash: string;
  expiresAt: number;
}

const reads = ({ queries, statements, read, cache, commit, fresh }: Shared) => ({
  find: async (id: number): Promise<Person | undefined> => read(id),
  /** The person of a request. The result is never older than the last acknowledged change. */
  findSignedIn: cache.find,
  /** The people after the id `after`, ascending by id. */
  list: async (page: { after: number; limit: number }): Promise<Person[]> =>
    queries.listQuery.all({ ...page }).map(toPerson),
  /** True if the store has an administrator, who may not have accepted the invitation yet. */
  async hasAdministrator(): Promise<boolean> {
    await fresh();
    return queries.administratorQuery.get() !== undefined;
  },
  /** True if the store has an administrator who can sign in. */
  async hasJoinedAdministrator(): Promise<boolean> {
    await fresh();
    return queries.joinedAdministratorQuery.get() !== undefined;
  },
  /** Stores when people were last seen, by their ids. */
  async touch(lastSeen: ReadonlyMap<number, number>): Promise<void> {
    if (lastSeen.size === 0) return;
    const { touchStatement } = statements;
    await commit([...lastSeen].map(([id, at]) => ({ query: touchStatement, values: { id, at } })));
  },
});

const management = ({ queries, statements, read, change, record }: Shared) => ({
  /** Stores a person and their invitation in one atomic step; undefined if another person has the address. */
  async add(
    { name, email, role }: NewPerson,
    { handle, ...invitation }: InvitationRecord & { handle: string },
    act: Act,
  ): Promise<Person | undefined> {
    const { now } = act;
    const values = { name, email, foldedEmail: foldEmail(email), role, handle, now };
    const [[row]] = await change(
      [
        { query: statements.insertStatement, values },
        { query: statements.inviteNewStatement, values: { handle, now, ...invitation } },
      ],
      ([[added]]) =>
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
    return row && read(row.id);
  },
  /** Replaces the invitation of a person who still has this role. False if nothing was changed. */
  async invite(
    { id, name, role: expectedRole }: Person,
    invitation: InvitationRecord,
    act: Act,
  ): Promise<boolean> {
    const values = { id, expectedRole, now: act.now, ...invitation };
    const [rows] = await change([{ query: statements.inviteStatement, values }], ([[invited]]) =>
      record(act, invited && { action: "person.invited", id, label: name }),
    );
    return rows.length > 0;
  },
  /** Changes a person who still has this role, unless they are the last to grant all scopes and lose that. False if nothing was changed. */
  async change({ id, role: expectedRole }: Person, wishes: PersonChange, act: Act): Promise<boolean> {
    const { name = null, role = null } = wishes;
    const [, rows] = await change(
      [
        { query: queries.findQuery, values: { id } },
        { query: statements.changeStatement, values: { id, expectedRole, name, role, now: act.now } },
      ],
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
        { query: statements.removeStatement, values: { id, expectedRole, now: act.now } },
        ...statements.deleteAccessStatements.map((query) => ({ query, values: { id } })),
      ],
      ([[removed]]) => record(act, removed && { action: "person.removed", id, label: name }),
    );
    return rows.length > 0;
  },
});

/** People, and what they sign in with. A removed person is not found. */
export const personRepository = (database: Database) => {
  const shared = openPeople(database);
  return { ...reads(shared), ...management(shared), ...access(shared), ...accounts(shared) };
};

export type PersonRepository = ReturnType<typeof personRepository>;
