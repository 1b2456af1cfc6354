import { foldEmail } from "../lib/email.ts";
import type { Act } from "../lib/actor.ts";
import type { Person, SignIn } from "./person.ts";
import { type Shared, toPerson } from "./shared-repository.ts";

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

const passkeyValues = ({ name, transports, ...passkey }: NewPasskey) => ({
  ...passkey,
  passkeyName: name,
  transports: JSON.stringify(transports),
});

/** Invitations and passkeys. */
export const access = ({ queries, statements, change, record, recordOwn, fresh }: Shared) => ({
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
    const [[row]] = await change(
      [
        { query: statements.acceptStatement, values: { ...passkeyValues(passkey), hash, now } },
        { query: statements.useInvitationStatement, values: { hash, credentialId: passkey.credentialId } },
      ],
      ([[accepted]]) => recordOwn("person.joined", accepted?.id, now),
    );
    return row;
  },
  /** False if the person has too many passkeys or was removed, or the credential is known. */
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
export const accounts = ({ queries, statements, change, recordOwn, fresh }: Shared) => ({
  /** The person of an account at a provider. */
  async findIdentity({ issuer, subject }: Identity): Promise<number | undefined> {
    await fresh();
    return queries.findIdentityQuery.get({ issuer, subject })?.personId;
  },
  /**
   * Gives an account to the person with this address, in which only the case of the letters A to Z may differ, who has no
   * other account at the issuer, and ends their invitation. The id of the person; undefined if there is none.
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
