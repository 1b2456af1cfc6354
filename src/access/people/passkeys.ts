import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Context } from "../../data/context.ts";
import { Fault } from "../../lib/errors.ts";
import {
  hashOfToken,
  MAX_PASSKEYS,
  type Person,
  type RelyingParty,
  type SignedChallenge,
  type SignIn,
} from "./person.ts";
import type { NewPasskey, PersonRepository } from "./repository.ts";

/** EdDSA, ES256 and RS256 (RFC 9053): every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257];
/** What people see in their authenticator. */
const NAME = "Adoption store";
const BASE64URL = /^[\w-]{1,1400}$/;
/** The transports to an authenticator that browsers report. Future browsers may report others. */
const TRANSPORTS: ReadonlySet<string> = new Set([
  "ble",
  "cable",
  "hybrid",
  "internal",
  "nfc",
  "smart-card",
  "usb",
]);

// Imported on first use, because it takes 100 ms or more.
const library = async () => {
  // In the executable its certificate library does not find the polyfill by itself.
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
};

/** Every malformed response gets the same refusal. */
const refuseErrors = async <Result>(verify: () => Promise<Result>): Promise<Result> => {
  try {
    return await verify();
  } catch {
    throw new Fault("passkey_refused");
  }
};

/**
 * Attestation is not asked for, so it is not verified: its certificates may name addresses that the library would fetch.
 * Browsers pass on "none" and self attestation. @throws Fault passkey_refused
 */
const assertNoCertificates = async ({ response }: RegistrationResponseJSON) => {
  const { decodeAttestationObject, isoBase64URL } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get("fmt");
  const isSelf = format === "packed" && attestation.get("attStmt").get("x5c") === undefined;
  if (format !== "none" && !isSelf) throw new Fault("passkey_refused");
};

/**
 * The library accepts registrations in another site's frame, and signatures there if the browser omits `topOrigin`. The console
 * is never framed (WebAuthn section 13.4.9). @throws Fault passkey_refused
 */
const assertNotEmbedded = async (clientDataJSON: string) => {
  const { decodeClientDataJSON } = await import("@simplewebauthn/server/helpers");
  const { crossOrigin = false, topOrigin } = decodeClientDataJSON(clientDataJSON);
  if (crossOrigin || topOrigin !== undefined) throw new Fault("passkey_refused");
};

const verifyRegistration = async (
  response: RegistrationResponseJSON,
  challenge: string,
  { origin, id }: RelyingParty,
): Promise<Omit<NewPasskey, "name">> => {
  const { verifyRegistrationResponse } = await library();
  await assertNotEmbedded(response.response.clientDataJSON);
  await assertNoCertificates(response);
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!registrationInfo || !BASE64URL.test(registrationInfo.credential.id))
    throw new Fault("passkey_refused");
  const { credential } = registrationInfo;
  const transports: unknown = response.response.transports;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    signCount: credential.counter,
    transports: Array.isArray(transports) ? [...TRANSPORTS].filter((one) => transports.includes(one)) : [],
  };
};

/** @throws Fault passkey_refused */
const assertUnused = async ({ spend }: Pick<SignedChallenge, "spend">) => {
  if (!(await spend())) throw new Fault("passkey_refused");
};

/** @throws Fault passkey_refused */
const verifyResponse = async (signed: SignedChallenge, party: RelyingParty) => {
  const { response, challenge } = signed;
  const passkey = await refuseErrors(() =>
    verifyRegistration(response as RegistrationResponseJSON, challenge, party),
  );
  await assertUnused(signed);
  return passkey;
};

/** WebAuthn: the registration of passkeys, and signing in with them. The caller keeps the challenges. */
export const passkeyService = (people: PersonRepository, { clock }: Context) => ({
  /** The argument of `navigator.credentials.create`. Its challenge is for one registration by this person. */
  async registrationOptions(
    { id, name, email, handle }: Pick<Person, "id" | "name" | "email" | "handle">,
    party: RelyingParty,
  ) {
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      rpName: NAME,
      rpID: party.id,
      userID: new Uint8Array(Buffer.from(handle, "base64url")),
      userName: email,
      userDisplayName: name,
      attestationType: "none",
      excludeCredentials: await people.credentialsOf(id),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  },
  /**
   * Registers the first passkey of an invited person, which uses up the invitation in the same atomic step.
   * @throws Fault passkey_refused, invalid_invitation
   */
  async accept(
    { token, name, ...signed }: SignedChallenge & { token: string; name: string },
    party: RelyingParty,
  ): Promise<SignIn> {
    const passkey = await verifyResponse(signed, party);
    const accepted = await people.accept(hashOfToken(token) ?? "", { ...passkey, name }, clock.now());
    if (!accepted) throw new Fault("invalid_invitation");
    return accepted;
  },
  /** Registers another passkey of a person. @throws Fault passkey_refused, passkey_limit_reached, not_found */
  async register(
    personId: number,
    { name, ...signed }: SignedChallenge & { name: string },
    party: RelyingParty,
  ): Promise<void> {
    const passkey = await verifyResponse(signed, party);
    if (await people.addPasskey(personId, { ...passkey, name }, clock.now())) return;
    const person = await people.find(personId);
    if (!person) throw new Fault("not_found");
    throw new Fault(person.passkeys.length >= MAX_PASSKEYS ? "passkey_limit_reached" : "passkey_refused");
  },
  /** The argument of `navigator.credentials.get`: any passkey for this site. */
  async authenticationOptions(party: RelyingParty) {
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({ rpID: party.id, userVerification: "required" });
  },
  /** Who signed the challenge. @throws Fault passkey_refused */
  async authenticate({ response, challenge, spend }: SignedChallenge, party: RelyingParty): Promise<SignIn> {
    const signed = response as AuthenticationResponseJSON;
    const isId = typeof signed.id === "string" && BASE64URL.test(signed.id);
    const credential = isId ? await people.findCredential(signed.id) : undefined;
    if (!credential) throw new Fault("passkey_refused");
    const { verified: isVerified, authenticationInfo } = await refuseErrors(async () => {
      const { verifyAuthenticationResponse } = await library();
      await assertNotEmbedded(signed.response.clientDataJSON);
      return verifyAuthenticationResponse({
        response: signed,
        expectedChallenge: challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: true,
        credential: {
          id: credential.credentialId,
          publicKey: new Uint8Array(Buffer.from(credential.publicKey, "base64url")),
          counter: credential.signCount,
          transports: credential.transports,
        },
      });
    });
    const { userHandle } = signed.response;
    // WebAuthn section 7.2, step 6: a discoverable credential names its user.
    if (!isVerified || userHandle !== credential.handle) throw new Fault("passkey_refused");
    await assertUnused({ spend });
    const { newCounter } = authenticationInfo;
    const signIn = await people.countSignature(credential.credentialId, newCounter, clock.now());
    if (!signIn) throw new Fault("passkey_refused");
    return signIn;
  },
  /** Removes a person's own passkey, unless it is their last way to sign in. @throws Fault not_found, last_passkey */
  async remove(personId: number, passkeyId: number): Promise<void> {
    const person = await people.find(personId);
    if (!person?.passkeys.some(({ id }) => id === passkeyId))
      throw new Fault("not_found", "You have no passkey with this id.");
    const actor = { kind: "person", id: personId, name: person.name } as const;
    const act = { actor, now: clock.now() };
    if (!(await people.removePasskey(person, passkeyId, act, { keepsOne: true })))
      throw new Fault("last_passkey");
  },
});
