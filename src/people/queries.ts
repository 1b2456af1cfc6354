import { and, asc, eq, gt, inArray, isNull, lt, not, or, sql } from "drizzle-orm";
import { type Audit, auditing } from "../db/audit.ts";
import type { Commit } from "../db/commit.ts";
import { insertSelect } from "../db/insert-select.ts";
import { isAdministrator, isLastPersonToGrant, operatorSessionEnds } from "../db/management-access.ts";
import type { Database } from "../db/open.ts";
import { identities, invitations, passkeys, people } from "../db/schema/people.ts";
import type { Action } from "../lib/actions.ts";
import { lruCache } from "../lib/lru.ts";
import { MAX_PASSKEYS, type Passkey, type Person } from "./person.ts";

type Orm = Database["orm"];

const value = sql.placeholder;

// Drizzle names the columns of a single table without it, and a subquery would take `id` for its own.
const COLUMNS = {
  id: people.id,
  name: people.name,
  email: people.email,
  role: people.role,
  handle: people.handle,
  createdAt: people.createdAt,
  lastSeenAt: people.lastSeenAt,
  invitedUntil: sql<
    number | null
  >`(select expires_at from invitations where invitations.person_id = people.id)`,
  passkeys: sql<string>`(select json_group_array(json_object('id', passkeys.id, 'name', passkeys.name,
    'createdAt', passkeys.created_at, 'lastUsedAt', passkeys.last_used_at) order by passkeys.id)
    from passkeys where passkeys.person_id = people.id)`,
  issuers: sql<string>`(select json_group_array(identities.issuer order by identities.issuer)
    from identities where identities.person_id = people.id)`,
};

const isPresent = isNull(people.removedAt);
const isPerson = and(eq(people.id, value("id")), isPresent);
/** The privileges of the person are still those that the caller's own were compared with. */
const isUnchanged = and(isPerson, eq(people.role, value("expectedRole")));

const hasRoomForPasskey = sql`(select count(*) from passkeys where passkeys.person_id = people.id) < ${MAX_PASSKEYS}
  and not exists (select 1 from passkeys where credential_id = ${value("credentialId")})`;

const personQueries = (orm: Orm) => ({
  findQuery: orm.select(COLUMNS).from(people).where(isPerson).limit(1).prepare(),
  listQuery: orm
    .select(COLUMNS)
    .from(people)
    .where(and(isPresent, gt(people.id, value("after"))))
    .orderBy(asc(people.id))
    .limit(value("limit"))
    .prepare(),
  administratorQuery: orm
    .select({ id: people.id })
    .from(people)
    .where(and(eq(people.role, "administrator"), isPresent))
    .limit(1)
    .prepare(),
  joinedAdministratorQuery: orm
    .select({ id: people.id })
    .from(people)
    .where(isAdministrator("people"))
    .limit(1)
    .prepare(),
  findInvitedQuery: orm
    .select(COLUMNS)
    .from(people)
    .innerJoin(invitations, eq(invitations.personId, people.id))
    .where(and(eq(invitations.hash, value("hash")), gt(invitations.expiresAt, value("now")), isPresent))
    .limit(1)
    .prepare(),
  findIdentityQuery: orm
    .select({ personId: identities.personId })
    .from(identities)
    .innerJoin(people, eq(people.id, identities.personId))
    .where(and(eq(identities.issuer, value("issuer")), eq(identities.subject, value("subject")), isPresent))
    .limit(1)
    .prepare(),
  findCredentialQuery: orm
    .select({
      personId: passkeys.personId,
      handle: people.handle,
      credentialId: passkeys.credentialId,
      publicKey: passkeys.publicKey,
      signCount: passkeys.signCount,
      transports: passkeys.transports,
    })
    .from(passkeys)
    .innerJoin(people, eq(people.id, passkeys.personId))
    .where(and(eq(passkeys.credentialId, value("credentialId")), isPresent))
    .limit(1)
    .prepare(),
  credentialsQuery: orm
    .select({ id: passkeys.credentialId, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.personId, value("id")))
    .prepare(),
});

const newInvitation = { createdAt: value("now"), expiresAt: value("expiresAt"), hash: value("hash") };

const personStatements = (orm: Orm) => ({
  insertStatement: orm
    .insert(people)
    .values({
      name: value("name"),
      email: value("email"),
      foldedEmail: value("foldedEmail"),
      role: sql`${value("role")}`,
      handle: value("handle"),
      createdAt: value("now"),
    })
    .onConflictDoNothing({ target: people.foldedEmail })
    .returning({ id: people.id })
    .prepare(),
  inviteNewStatement: insertSelect(
    orm,
    invitations,
    { personId: people.id, ...newInvitation },
    sql`from ${people} where ${eq(people.handle, value("handle"))}`,
  ).prepare(),
  inviteStatement: insertSelect(
    orm,
    invitations,
    { personId: people.id, ...newInvitation },
    sql`from ${people} where ${isUnchanged}`,
  )
    .onConflictDoUpdate({
      target: invitations.personId,
      set: {
        hash: sql`excluded.hash`,
        createdAt: sql`excluded.created_at`,
        expiresAt: sql`excluded.expires_at`,
      },
    })
    .returning({ id: invitations.personId })
    .prepare(),
  changeStatement: orm
    .update(people)
    .set({
      name: sql`coalesce(${value("name")}, ${people.name})`,
      role: sql`coalesce(${value("role")}, ${people.role})`,
    })
    .where(
      and(
        isUnchanged,
        or(
          sql`coalesce(${value("role")}, ${people.role}) = 'administrator'`,
          not(isLastPersonToGrant("people")),
        ),
      ),
    )
    .returning({ name: people.name, role: people.role })
    .prepare(),
  removeStatement: orm
    .update(people)
    .set({ email: null, foldedEmail: null, removedAt: sql`${value("now")}` })
    .where(and(isUnchanged, not(isLastPersonToGrant("people"))))
    .returning({ id: people.id })
    .prepare(),
  /** A removed person's ways to sign in. */
  deleteAccessStatements: [passkeys, identities, invitations].map((table) =>
    orm
      .delete(table)
      .where(
        inArray(
          table.personId,
          orm
            .select({ id: people.id })
            .from(people)
            .where(and(eq(people.id, value("id")), not(isPresent))),
        ),
      )
      .prepare(),
  ),
  touchStatement: orm
    .update(people)
    .set({ lastSeenAt: sql`${value("at")}` })
    .where(and(isPerson, or(isNull(people.lastSeenAt), lt(people.lastSeenAt, value("at")))))
    .prepare(),
});

const newPasskey = {
  personId: people.id,
  credentialId: value("credentialId"),
  publicKey: value("publicKey"),
  signCount: value("signCount"),
  transports: value("transports"),
  name: value("passkeyName"),
  createdAt: value("now"),
};

const passkeyStatements = (orm: Orm) => ({
  addPasskeyStatement: insertSelect(
    orm,
    passkeys,
    newPasskey,
    sql`from ${people} where ${and(isPerson, hasRoomForPasskey)}`,
  )
    .returning({ id: passkeys.id })
    .prepare(),
  acceptStatement: insertSelect(
    orm,
    passkeys,
    newPasskey,
    sql`from ${people} inner join ${invitations} on ${eq(invitations.personId, people.id)} where ${and(
      eq(invitations.hash, value("hash")),
      gt(invitations.expiresAt, value("now")),
      isPresent,
      hasRoomForPasskey,
    )}`,
  )
    .returning({ id: passkeys.personId, passkeyId: passkeys.id })
    .prepare(),
  /** Only for the passkey that the statement before it has stored. */
  useInvitationStatement: orm
    .delete(invitations)
    .where(
      and(
        eq(invitations.hash, value("hash")),
        sql`exists (select 1 from passkeys where credential_id = ${value("credentialId")}
          and passkeys.person_id = ${invitations.personId})`,
      ),
    )
    .prepare(),
  countSignatureStatement: orm
    .update(passkeys)
    .set({ signCount: sql`${value("signCount")}`, lastUsedAt: sql`${value("now")}` })
    .where(
      and(
        eq(passkeys.credentialId, value("credentialId")),
        // An authenticator that counts never counts backwards: otherwise there are two of it.
        sql`(${passkeys.signCount} < ${value("signCount")} or (${passkeys.signCount} = 0 and ${value("signCount")} = 0))`,
      ),
    )
    .returning({ id: passkeys.personId, passkeyId: passkeys.id })
    .prepare(),
  removePasskeyStatement: orm
    .delete(passkeys)
    .where(
      and(
        eq(passkeys.id, value("passkeyId")),
        eq(passkeys.personId, value("id")),
        sql`not exists (select 1 from ${people} where ${isPerson}
          and not exists (select 1 from passkeys others where others.person_id = ${people.id} and others.id <> ${value("passkeyId")})
          and not exists (select 1 from identities where identities.person_id = ${people.id})
          and (${value("keepsOne")} or ${isLastPersonToGrant("people")}))`,
      ),
    )
    .returning({ id: passkeys.id })
    .prepare(),
});

const identityStatements = (orm: Orm) => ({
  linkStatement: insertSelect(
    orm,
    identities,
    {
      issuer: value("issuer"),
      subject: value("subject"),
      personId: people.id,
      createdAt: value("now"),
    },
    // Folding equates too much: K, the sign for Kelvin, folds to k, and may begin the address of another mailbox. A
    // second account at the address of a person who has one belongs to another person: addresses are reassigned.
    sql`from ${people} where ${and(eq(people.foldedEmail, value("foldedEmail")), isPresent)}
      and people.email = ${value("email")} collate nocase
      and not exists (select 1 from identities known where known.person_id = people.id and known.issuer = ${value("issuer")})`,
  )
    .onConflictDoNothing()
    .returning({ personId: identities.personId })
    .prepare(),
  endInvitationStatement: orm
    .delete(invitations)
    .where(
      sql`${invitations.personId} in (select person_id from identities where issuer = ${value("issuer")}
        and subject = ${value("subject")})`,
    )
    .prepare(),
});

type Row = NonNullable<ReturnType<ReturnType<typeof personQueries>["findQuery"]["get"]>>;

const MAX_CACHED_PEOPLE = 1000;

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

/** The shared parts of the repository. */
export const openPeople = ({ client, orm, commit, fresh, foreignVersion }: Database) => {
  const queries = personQueries(orm);
  const statements = { ...personStatements(orm), ...passkeyStatements(orm), ...identityStatements(orm) };
  const read = (id: number): Person | undefined => {
    const row = queries.findQuery.get({ id });
    return row && toPerson(row);
  };
  const cache = personCache({ fresh, foreignVersion }, read);
  /** Commits, then clears the caches. */
  const change: Commit = async (writes, last) => {
    try {
      return await commit(writes, last);
    } finally {
      cache.clear();
    }
  };
  const recordEntry = auditing({ client });
  const endOperatorSessions = operatorSessionEnds({ client, orm });
  /** Records a change. If it lets the first administrator sign in, the sessions of sign-in links end. */
  const record: Audit = (act, entry) =>
    entry ? [...recordEntry(act, entry), ...endOperatorSessions(act)] : [];
  /** Records a change that a person made to their sign-in methods. */
  const recordOwn = (action: Action, id: number | undefined, now: number) => {
    const person = id === undefined ? undefined : read(id);
    if (!person) return [];
    const { name } = person;
    const actor = { kind: "person", id: person.id, name } as const;
    return record({ actor, now }, { action, id: person.id, label: name });
  };
  return { queries, statements, read, cache, change, record, recordOwn, commit, fresh };
};

export type Shared = ReturnType<typeof openPeople>;
