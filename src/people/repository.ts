import { changesBetween } from "../db/audit.ts";
import type { Database } from "../db/open.ts";
import type { Act } from "../lib/actor.ts";
import { foldEmail } from "../lib/email.ts";
import type { Person, Role, SignIn } from "./person.ts";
import { openPeople, type Shared, toPerson } from "./queries.ts";

/** A WebAuthn credential that a person has registered. Binary values are base64url. */
export interface NewPasskey {
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: readonly string[];
  name: string;
}

/** A stored credential, to verify a signature with. */
interface Credential {
  personId: number;
  handle: string;
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
}

/** An account at an OpenID Connect provider. */
interface Identity {
  issuer: string;
  subject: string;
}

const passkeyValues = ({ name, transports, ...passkey }: NewPasskey) => ({
  ...passkey,
  passkeyName: name,
  transports: JSON.stringify(transports),
});

/** Invitations and passkeys. */
const access = ({ queries, statements, change, record, recordOwn, fresh }: Shared) => ({
  /** The person whose open invitation has this hash. */
  async findInvited(hash: string, now: number): Promise<Person | undefined> {
    await fresh();
    const row = queries.findInvitedQuery.get({ hash, now });
    return row && toPerson(row);
  },
  /**
   * Uses an invitation for the person's passkey, in one atomic step. Undefined, and nothing is stored, if the invitation is used, replaced or expired, or the credential exists.
   */
  async accept(hash: string, passkey: NewPasskey, now: number): Promise<SignIn | undefined> {
    const [[row]] = await change(
      [
        { query: statements.acceptStatement, values: { ...passkeyValues(passkey), hash, now } },
        { query: statements.useInvitationStatement, values: { hash, credentialId: passkey.credentialId } },
      ],
      ([[accepted]]) => recordOwn("person.joined", accepted?.id, now),
    );
    return row;
  },
  /** False if the person has too many passkeys or was removed, or the credential exists. */
  async addPasskey(id: number, passkey: NewPasskey, now: number): Promise<boolean> {
    const [rows] = await change(
      [{ query: statements.addPasskeyStatement, values: { ...passkeyValues(passkey), id, now } }],
      ([[added]]) => recordOwn("person.passkey_added", added && id, now),
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
    const [rows] = await change([{ query: statements.removePasskeyStatement, values }], ([[removed]]) =>
      record(act, removed && { action: "person.passkey_removed", id, label: name }),
    );
    return rows.length > 0;
  },
  async findCredential(credentialId: string): Promise<Credential | undefined> {
    await fresh();
    const row = queries.findCredentialQuery.get({ credentialId });
    return row && { ...row, transports: JSON.parse(row.transports) as string[] };
  },
  /** The credentials of a person. */
  credentialsOf: async (id: number): Promise<{ id: string; transports: string[] }[]> =>
    queries.credentialsQuery
      .all({ id })
      .map((row) => ({ id: row.id, transports: JSON.parse(row.transports) as string[] })),
  /** Stores the count of a signature. Undefined if a signature with this count or a higher one was seen. */
  async countSignature(credentialId: string, signCount: number, now: number): Promise<SignIn | undefined> {
    const [[row]] = await change([
      { query: statements.countSignatureStatement, values: { credentialId, signCount, now } },
    ]);
    return row;
  },
});

/** Accounts at OpenID Connect providers. */
const accounts = ({ queries, statements, change, recordOwn, fresh }: Shared) => ({
  /** The person of an account at a provider. */
  async findIdentity({ issuer, subject }: Identity): Promise<number | undefined> {
    await fresh();
    return queries.findIdentityQuery.get({ issuer, subject })?.personId;
  },
  /**
   * Gives an account to the person with this address, in which only the case of the letters A to Z may differ, who has no
   * other account at the issuer, and ends their invitation. The id of the person; undefined without a match.
   */
  async link({ issuer, subject }: Identity, email: string, now: number): Promise<number | undefined> {
    const [[row]] = await change(
      [
        {
          query: statements.linkStatement,
          values: { issuer, subject, email, foldedEmail: foldEmail(email), now },
        },
        { query: statements.endInvitationStatement, values: { issuer, subject } },
      ],
      ([[linked]]) => recordOwn("person.joined", linked?.personId, now),
    );
    return row?.personId;
  },
});

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

/** People, and their ways to sign in. A removed person is not found. */
export const personRepository = (database: Database) => {
  const shared = openPeople(database);
  return { ...reads(shared), ...management(shared), ...access(shared), ...accounts(shared) };
};

export type PersonRepository = ReturnType<typeof personRepository>;
