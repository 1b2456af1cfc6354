import { sql } from "drizzle-orm";
import { isLastPersonToGrant } from "../../data/db/management-access.ts";
import { identities, invitations, passkeys, people } from "../../data/db/schema/people.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { foldEmail } from "../../lib/email.ts";
import { MAX_PASSKEYS, type Person, type SignIn } from "./person.ts";
import { COLUMNS, IS_PERSON, IS_PRESENT, type Shared, toPerson } from "./queries.ts";

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
export const access = ({ client, change, record, recordOwn, fresh }: Shared) => ({
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
    const [[row]] = await change([ACCEPT.with(values), USE_INVITATION.with(values)], ([[accepted]]) =>
      recordOwn("person.joined", accepted?.id, now),
    );
    return row;
  },
  /** False if the person has too many passkeys or was removed, or the credential exists. */
  async addPasskey(id: number, passkey: NewPasskey, now: number): Promise<boolean> {
    const [rows] = await change([ADD_PASSKEY.with({ ...passkeyValues(passkey), id, now })], ([[added]]) =>
      recordOwn("person.passkey_added", added && id, now),
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
    const [rows] = await change([REMOVE_PASSKEY.with(values)], ([[removed]]) =>
      record(act, removed && { action: "person.passkey_removed", id, label: name }),
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
export const accounts = ({ client, change, recordOwn, fresh }: Shared) => ({
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
    const [[row]] = await change([LINK.with(values), END_INVITATION.with(values)], ([[linked]]) =>
      recordOwn("person.joined", linked?.personId, now),
    );
    return row?.personId;
  },
});
