import type { Commit } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { foldEmail } from "../lib/email.ts";
import { lruCache } from "../lib/lru.ts";
import type { Passkey, Person, SignIn } from "./person.ts";
import { identityStatements, passkeyStatements, personQueries, personStatements } from "./queries.ts";
import type { Role } from "./role.ts";

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

/** A WebAuthn credential that a person has registered. Binary values are base64url. */
export interface NewPasskey {
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: readonly string[];
  name: string;
}

/** A stored credential, to verify a signature with. */
export interface Credential {
  personId: number;
  handle: string;
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
}

/** An account at an OpenID Connect provider. */
export interface Identity {
  issuer: string;
  subject: string;
}

type Row = NonNullable<ReturnType<ReturnType<typeof personQueries>["findQuery"]["get"]>>;

const MAX_CACHED_PEOPLE = 1000;

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

/** People by id, until one changes, here or in another process. */
const personCache = (
  { fresh, foreignVersion }: Pick<Database, "fresh" | "foreignVersion">,
  read: (id: number) => Person | undefined,
) => {
  const people = lruCache<number, Person>({ maxEntries: MAX_CACHED_PEOPLE });
  let cachedVersion = 0;
  return {
    async find(id: number): Promise<Person | undefined> {
      await fresh();
      const version = foreignVersion();
      if (version !== cachedVersion) people.clear();
      cachedVersion = version;
      const person = people.get(id) ?? read(id);
      if (person) people.set(id, person);
      return person;
    },
    clear: people.clear,
  };
};

const passkeyValues = ({ name, transports, ...passkey }: NewPasskey) => ({
  ...passkey,
  passkeyName: name,
  transports: JSON.stringify(transports),
});

/** What the parts of the repository share. */
const openPeople = ({ orm, commit, fresh, foreignVersion }: Database) => {
  const queries = personQueries(orm);
  const statements = { ...personStatements(orm), ...passkeyStatements(orm), ...identityStatements(orm) };
  const read = (id: number): Person | undefined => {
    const row = queries.findQuery.get({ id });
    return row && toPerson(row);
  };
  const cache = personCache({ fresh, foreignVersion }, read);
  /** Commits, then forgets what is cached. */
  const change: Commit = async (writes, last) => {
    try {
      return await commit(writes, last);
    } finally {
      cache.clear();
    }
  };
  return { queries, statements, read, cache, change, commit, fresh };
};

type Shared = ReturnType<typeof openPeople>;

const management = ({ queries, statements, read, cache, change, commit }: Shared) => ({
  find: async (id: number): Promise<Person | undefined> => read(id),
  /** The person of a request. The result is never older than the last acknowledged change. */
  findSignedIn: cache.find,
  /** The people after the id `after`, ascending by id. */
  list: async (page: { after: number; limit: number }): Promise<Person[]> =>
    queries.listQuery.all({ ...page }).map(toPerson),
  /** Stores a person and their invitation in one atomic step; undefined if another person has the address. */
  async add(
    { name, email, role }: NewPerson,
    { handle, now, ...invitation }: InvitationRecord & { handle: string; now: number },
  ): Promise<Person | undefined> {
    const values = { name, email, foldedEmail: foldEmail(email), role, handle, now };
    const [[row]] = await change([
      { query: statements.insertStatement, values },
      { query: statements.inviteNewStatement, values: { handle, now, ...invitation } },
    ]);
    return row && read(row.id);
  },
  /** Replaces the invitation of a person who still has this role. False if nothing was changed. */
  async invite(
    id: number,
    expectedRole: Role,
    invitation: InvitationRecord & { now: number },
  ): Promise<boolean> {
    const [rows] = await change([
      { query: statements.inviteStatement, values: { id, expectedRole, ...invitation } },
    ]);
    return rows.length > 0;
  },
  /** Changes a person who still has this role, unless that removes the last way in. False if nothing was changed. */
  async change(id: number, expectedRole: Role, wishes: PersonChange, now: number): Promise<boolean> {
    const values = { id, expectedRole, name: wishes.name ?? null, role: wishes.role ?? null, now };
    const [rows] = await change([{ query: statements.changeStatement, values }]);
    return rows.length > 0;
  },
  /**
   * Removes a person who still has this role, and all that they could sign in with, in one atomic step, unless they are the
   * last way in. False if nothing was changed.
   */
  async remove(id: number, expectedRole: Role, now: number): Promise<boolean> {
    const [rows] = await change([
      { query: statements.removeStatement, values: { id, expectedRole, now } },
      ...statements.deleteAccessStatements.map((query) => ({ query, values: { id } })),
    ]);
    return rows.length > 0;
  },
  /** Stores when people were last seen, by their ids. */
  async touch(lastSeen: ReadonlyMap<number, number>): Promise<void> {
    if (lastSeen.size === 0) return;
    const { touchStatement } = statements;
    await commit([...lastSeen].map(([id, at]) => ({ query: touchStatement, values: { id, at } })));
  },
});

const access = ({ queries, statements, change, fresh }: Shared) => ({
  /** The person whose open invitation has this hash. */
  async findInvited(hash: string, now: number): Promise<Person | undefined> {
    await fresh();
    const row = queries.findInvitedQuery.get({ hash, now });
    return row && toPerson(row);
  },
  /**
   * Uses an invitation for the person's passkey, in one atomic step. Undefined, and nothing is stored, if the invitation is used, replaced or expired, or the credential is known.
   */
  async accept(hash: string, passkey: NewPasskey, now: number): Promise<SignIn | undefined> {
    const [[row]] = await change([
      { query: statements.acceptStatement, values: { ...passkeyValues(passkey), hash, now } },
      { query: statements.useInvitationStatement, values: { hash, credentialId: passkey.credentialId } },
    ]);
    return row;
  },
  /** False if the person has too many passkeys or was removed, or the credential is known. */
  async addPasskey(id: number, passkey: NewPasskey, now: number): Promise<boolean> {
    const [rows] = await change([
      { query: statements.addPasskeyStatement, values: { ...passkeyValues(passkey), id, now } },
    ]);
    return rows.length > 0;
  },
  /** False if the person does not have it, or it is the last way in. */
  async removePasskey(id: number, passkeyId: number, now: number): Promise<boolean> {
    const [rows] = await change([
      { query: statements.removePasskeyStatement, values: { id, passkeyId, now } },
    ]);
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

const accounts = ({ queries, statements, change, fresh }: Shared) => ({
  /** The person of an account at a provider. */
  async findIdentity({ issuer, subject }: Identity): Promise<number | undefined> {
    await fresh();
    return queries.findIdentityQuery.get({ issuer, subject })?.personId;
  },
  /**
   * Gives an account to the person with this address, who has no other account at the issuer, and ends their invitation.
   * The id of the person; undefined if there is none.
   */
  async link({ issuer, subject }: Identity, email: string, now: number): Promise<number | undefined> {
    const [[row]] = await change([
      {
        query: statements.linkStatement,
        values: { issuer, subject, foldedEmail: foldEmail(email), now },
      },
      { query: statements.endInvitationStatement, values: { issuer, subject } },
    ]);
    return row?.personId;
  },
});

/** People, and what they sign in with. A removed person is not found. */
export const personRepository = (database: Database) => {
  const shared = openPeople(database);
  return { ...management(shared), ...access(shared), ...accounts(shared) };
};

export type PersonRepository = ReturnType<typeof personRepository>;
