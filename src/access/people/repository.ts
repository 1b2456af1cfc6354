import { sql, type SQL } from "drizzle-orm";
import { type AuditEntry, record as recordEntry, changesBetween } from "../../data/db/audit.ts";
import { cachedReads } from "../../data/db/fresh-reads.ts";
import type { Commit } from "../../data/db/commit.ts";
import {
  endOperatorSessions,
  isAdministrator,
  isLastPersonToGrant,
} from "../../data/db/management-access.ts";
import type { Database } from "../../data/db/open.ts";
import { identities, invitations, passkeys, people } from "../../data/db/schema/people.ts";
import {
  type Connection,
  columnsOf,
  statement,
  value,
  insert,
  set,
  update,
  valuesFor,
} from "../../data/db/statement.ts";
import type { Action } from "../../data/db/actions.ts";
import { type Passkey, type Person, type Role, MAX_PASSKEYS, type SignIn } from "./person.ts";
import type { Act } from "../../lib/actor.ts";
import { foldEmail } from "../../lib/email.ts";

const COLUMNS = sql`
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

interface Row extends StoredPerson {
  invitedUntil: number | null;
  /** JSON. */
  passkeys: string;
  issuers: string;
}

const toPasskey = ({ lastUsedAt, ...passkey }: Passkey & { lastUsedAt: number | null }): Passkey => ({
  ...passkey,
  lastUsedAt: lastUsedAt ?? undefined,
});

const toPerson = (row: Row): Person => ({
  ...row,
  email: row.email ?? "",
  lastSeenAt: row.lastSeenAt ?? undefined,
  invitedUntil: row.invitedUntil ?? undefined,
  passkeys: (JSON.parse(row.passkeys) as (Passkey & { lastUsedAt: number | null })[]).map(toPasskey),
  issuers: JSON.parse(row.issuers) as string[],
});

const IS_PRESENT = sql`${people.removedAt} IS NULL`;
const IS_PERSON = sql`${people.id} = ${value("id")} AND ${IS_PRESENT}`;

const FIND = statement(sql`SELECT ${COLUMNS} FROM ${people} WHERE ${IS_PERSON}`).as(toPerson);

const MAX_CACHED_PEOPLE = 1000;

/** Records a change. If it lets the first administrator sign in, the sessions of sign-in links end. */
const record = (connection: Connection, act: Act, entry: AuditEntry | undefined) =>
  entry ? [...recordEntry(act, entry), ...endOperatorSessions(connection, act)] : [];

/** Records a change that a person made to their sign-in methods. */
const recordOwn = (connection: Connection, action: Action, id: number | undefined, now: number) => {
  const person = id === undefined ? undefined : FIND.get(connection, { id });
  if (!person) return [];
  const { name } = person;
  const actor = { kind: "person", id: person.id, name } as const;
  return record(connection, { actor, now }, { action, id: person.id, label: name });
};

/** The shared parts of the repository. */
const openShared = (database: Database) => {
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
  return { client, cache, change, commit, fresh };
};

type Shared = ReturnType<typeof openShared>;

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

const management = ({ client, change }: Shared) => ({
  /** Stores a person and their invitation in one atomic step; undefined if another person has the address. */
  async add(
    { name, email, role }: NewPerson,
    { handle, ...invitation }: InvitationRecord & { handle: string },
    act: Act,
  ): Promise<Person | undefined> {
    const { now } = act;
    const values = { name, email, foldedEmail: foldEmail(email), role, handle, now, ...invitation };
    const [[row]] = await change([ADD.with(values), INVITE_NEW.with(values)], ([[added]], connection) =>
      record(
        connection,
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
    const [rows] = await change([INVITE.with(values)], ([[invited]], connection) =>
      record(connection, act, invited && { action: "person.invited", id, label: name }),
    );
    return rows.length > 0;
  },
  /** Changes a person who still has this role, unless they are the last to grant all scopes and lose that. False if nothing was changed. */
  async change({ id, role: expectedRole }: Person, wishes: PersonChange, act: Act): Promise<boolean> {
    const { name = null, role = null } = wishes;
    const [, rows] = await change(
      [FIND.with({ id }), CHANGE.with({ id, expectedRole, name, role, now: act.now })],
      ([[before], [after]], connection) =>
        record(
          connection,
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
      ([[removed]], connection) =>
        record(connection, act, removed && { action: "person.removed", id, label: name }),
    );
    return rows.length > 0;
  },
});

type StoredPasskey = typeof passkeys.$inferSelect;

/** A WebAuthn credential that a person has registered. Binary values are base64url. */
export type NewPasskey = Pick<StoredPasskey, "credentialId" | "publicKey" | "signCount" | "name"> & {
  transports: readonly string[];
};

/** A stored credential, to verify a signature with. */
type CredentialRow = Pick<
  StoredPasskey,
  "personId" | "credentialId" | "publicKey" | "signCount" | "transports"
> & { handle: string };

/** An account at an OpenID Connect provider. */
type Identity = Pick<typeof identities.$inferSelect, "issuer" | "subject">;

const withTransports = <Row extends { transports: string }>(row: Row) => ({
  ...row,
  transports: JSON.parse(row.transports) as string[],
});

const IS_INVITED = sql`${invitations.hash} = ${value("hash")} AND ${invitations.expiresAt} > ${value("now")} AND ${IS_PRESENT}`;
const OF_CREDENTIAL = sql`${passkeys.credentialId} = ${value("credentialId")}`;
const OF_IDENTITY = sql`${identities.issuer} = ${value("issuer")} AND ${identities.subject} = ${value("subject")}`;

const HAS_ROOM_FOR_PASSKEY = sql`
  (SELECT count(*) FROM ${passkeys} WHERE ${passkeys.personId} = ${people.id}) < ${MAX_PASSKEYS}
  AND NOT EXISTS (SELECT 1 FROM ${passkeys} WHERE ${OF_CREDENTIAL})`;

const FIND_INVITED = statement(sql`
  SELECT ${COLUMNS}
  FROM ${people}
  JOIN ${invitations} ON ${invitations.personId} = ${people.id}
  WHERE ${IS_INVITED}`).as(toPerson);

const FIND_IDENTITY = statement<{ personId: number }>(sql`
  SELECT ${columnsOf(identities, "personId")}
  FROM ${identities}
  JOIN ${people} ON ${people.id} = ${identities.personId}
  WHERE ${OF_IDENTITY} AND ${IS_PRESENT}`);

const FIND_CREDENTIAL = statement(sql`
  SELECT ${columnsOf(passkeys, "personId", "credentialId", "publicKey", "signCount", "transports")},
    ${columnsOf(people, "handle")}
  FROM ${passkeys}
  JOIN ${people} ON ${people.id} = ${passkeys.personId}
  WHERE ${OF_CREDENTIAL} AND ${IS_PRESENT}`).as(withTransports<CredentialRow>);

const CREDENTIALS = statement(sql`
  SELECT ${passkeys.credentialId} AS id, ${columnsOf(passkeys, "transports")}
  FROM ${passkeys}
  WHERE ${passkeys.personId} = ${value("id")}`).as(withTransports<{ id: string; transports: string }>);

const NEW_PASSKEY = insert(passkeys, {
  personId: people.id,
  ...valuesFor("credentialId", "publicKey", "signCount", "transports"),
  name: value("passkeyName"),
  createdAt: value("now"),
});

const ADD_PASSKEY = statement<{ id: number }>(sql`
  ${NEW_PASSKEY}
  FROM ${people}
  WHERE ${IS_PERSON} AND ${HAS_ROOM_FOR_PASSKEY}
  RETURNING ${passkeys.id} AS id`);

const ACCEPT = statement<{ id: number; passkeyId: number }>(sql`
  ${NEW_PASSKEY}
  FROM ${people}
  JOIN ${invitations} ON ${invitations.personId} = ${people.id}
  WHERE ${IS_INVITED} AND ${HAS_ROOM_FOR_PASSKEY}
  RETURNING ${passkeys.personId} AS id, ${passkeys.id} AS passkeyId`);

/** Only for the passkey that the statement before it has stored. */
const USE_INVITATION = statement(sql`
  DELETE FROM ${invitations}
  WHERE ${invitations.hash} = ${value("hash")}
    AND EXISTS (SELECT 1 FROM ${passkeys} WHERE ${OF_CREDENTIAL} AND ${passkeys.personId} = ${invitations.personId})`);

// An authenticator that counts never counts backwards: otherwise there are two of it.
const COUNT_SIGNATURE = statement<{ id: number; passkeyId: number }>(sql`
  ${update(passkeys, { signCount: value("signCount"), lastUsedAt: value("now") })}
  WHERE ${OF_CREDENTIAL}
    AND (${passkeys.signCount} < ${value("signCount")} OR (${passkeys.signCount} = 0 AND ${value("signCount")} = 0))
  RETURNING ${passkeys.personId} AS id, ${passkeys.id} AS passkeyId`);

const REMOVE_PASSKEY = statement<{ id: number }>(sql`
  DELETE FROM ${passkeys}
  WHERE ${passkeys.id} = ${value("passkeyId")}
    AND ${passkeys.personId} = ${value("id")}
    AND NOT EXISTS (
      SELECT 1
      FROM ${people}
      WHERE ${IS_PERSON}
        AND NOT EXISTS (
          SELECT 1 FROM ${passkeys}
          WHERE ${passkeys.personId} = ${people.id} AND ${passkeys.id} <> ${value("passkeyId")})
        AND NOT EXISTS (SELECT 1 FROM ${identities} WHERE ${identities.personId} = ${people.id})
        AND (${value("keepsOne")} OR ${isLastPersonToGrant}))
  RETURNING ${passkeys.id} AS id`);

// Folding equates too much: K, the sign for Kelvin, folds to k, and may begin the address of another mailbox. A second account
// at the address of a person who has one belongs to another person: addresses are reassigned.
const LINK = statement<{ personId: number }>(sql`
  ${insert(identities, { ...valuesFor("issuer", "subject"), personId: people.id, createdAt: value("now") })}
  FROM ${people}
  WHERE ${people.foldedEmail} = ${value("foldedEmail")}
    AND ${IS_PRESENT}
    AND ${people.email} = ${value("email")} COLLATE NOCASE
    AND NOT EXISTS (
      SELECT 1 FROM ${identities}
      WHERE ${identities.personId} = ${people.id} AND ${identities.issuer} = ${value("issuer")})
  ON CONFLICT DO NOTHING
  RETURNING ${columnsOf(identities, "personId")}`);

const END_INVITATION = statement(sql`
  DELETE FROM ${invitations}
  WHERE ${invitations.personId} IN (SELECT ${identities.personId} FROM ${identities} WHERE ${OF_IDENTITY})`);

const passkeyValues = ({ name, transports, ...passkey }: NewPasskey) => ({
  ...passkey,
  passkeyName: name,
  transports: JSON.stringify(transports),
});

/** Invitations and passkeys. */
const access = ({ client, change, fresh }: Shared) => ({
  /** The person whose open invitation has this hash. */
  async findInvited(hash: string, now: number): Promise<Person | undefined> {
    await fresh();
    return FIND_INVITED.get(client, { hash, now });
  },
  /**
   * Uses an invitation for the person's passkey, in one atomic step. Undefined, and nothing is stored, if the invitation is used, replaced or expired, or the credential exists.
   */
  async accept(hash: string, passkey: NewPasskey, now: number): Promise<SignIn | undefined> {
    const values = { ...passkeyValues(passkey), hash, now };
    const [[row]] = await change(
      [ACCEPT.with(values), USE_INVITATION.with(values)],
      ([[accepted]], connection) => recordOwn(connection, "person.joined", accepted?.id, now),
    );
    return row;
  },
  /** False if the person has too many passkeys or was removed, or the credential exists. */
  async addPasskey(id: number, passkey: NewPasskey, now: number): Promise<boolean> {
    const [rows] = await change(
      [ADD_PASSKEY.with({ ...passkeyValues(passkey), id, now })],
      ([[added]], connection) => recordOwn(connection, "person.passkey_added", added && id, now),
    );
    return rows.length > 0;
  },
  /**
   * False if the person does not have it, or the person is the last to grant all scopes.
   * @param keepsOne false also if it is the person's last way to sign in
   */
  async removePasskey(
    { id, name }: Person,
    passkeyId: number,
    act: Act,
    { keepsOne = false } = {},
  ): Promise<boolean> {
    const values = { id, passkeyId, keepsOne: Number(keepsOne), now: act.now };
    const [rows] = await change([REMOVE_PASSKEY.with(values)], ([[removed]], connection) =>
      record(connection, act, removed && { action: "person.passkey_removed", id, label: name }),
    );
    return rows.length > 0;
  },
  async findCredential(credentialId: string) {
    await fresh();
    return FIND_CREDENTIAL.get(client, { credentialId });
  },
  /** The credentials of a person. */
  credentialsOf: async (id: number) => CREDENTIALS.all(client, { id }),
  /** Stores the count of a signature. Undefined if a signature with this count or a higher one was seen. */
  async countSignature(credentialId: string, signCount: number, now: number): Promise<SignIn | undefined> {
    const [[row]] = await change([COUNT_SIGNATURE.with({ credentialId, signCount, now })]);
    return row;
  },
});

/** Accounts at OpenID Connect providers. */
const accounts = ({ client, change, fresh }: Shared) => ({
  /** The person of an account at a provider. */
  async findIdentity(identity: Identity): Promise<number | undefined> {
    await fresh();
    return FIND_IDENTITY.get(client, identity)?.personId;
  },
  /**
   * Gives an account to the person with this address, in which only the case of the letters A to Z may differ, who has no
   * other account at the issuer, and ends their invitation. The id of the person; undefined without a match.
   */
  async link(identity: Identity, email: string, now: number): Promise<number | undefined> {
    const values = { ...identity, email, foldedEmail: foldEmail(email), now };
    const [[row]] = await change([LINK.with(values), END_INVITATION.with(values)], ([[linked]], connection) =>
      recordOwn(connection, "person.joined", linked?.personId, now),
    );
    return row?.personId;
  },
});

/** People, and their ways to sign in. A removed person is not found. */
export const personRepository = (database: Database) => {
  const shared = openShared(database);
  return { ...reads(shared), ...management(shared), ...access(shared), ...accounts(shared) };
};

export type PersonRepository = ReturnType<typeof personRepository>;
