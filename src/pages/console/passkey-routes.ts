import { Elysia, t } from "elysia";
import { notSignedIn } from "../../http/authorization.ts";
import type { Macros } from "../../http/macros.ts";
import { AnyText, NoQuery, Text, parseId } from "../../http/schemas.ts";
import { isSameOrigin } from "../../http/headers.ts";
import { Fault } from "../../lib/errors.ts";
import { formatTime } from "../../lib/time.ts";
import {
  MAX_PASSKEY_NAME,
  type Passkey,
  type Person,
  type RelyingParty,
  type SignIn,
  type SignedChallenge,
} from "../../access/people/person.ts";
import { type Ceremonies, type Ceremony, readCeremony, writeCeremony } from "./cookies.ts";
import type { Gateway } from "./gateway.ts";

/** A response of the console that no cache keeps. */
export const respond = (
  status: number,
  state: object | undefined,
  headers: Record<string, string> = {},
): Response =>
  new Response(state && JSON.stringify(state), {
    status,
    headers: {
      ...(state && { "content-type": "application/json" }),
      "cache-control": "no-store",
      ...headers,
    },
  });

export interface PasskeyRouteOptions {
  ceremonies: Ceremonies;
  gateway: Pick<Gateway, "visitorOf">;
  /** True if the request came over HTTPS. */
  isSecure: (request: Request) => boolean;
  partyOf(request: Request): RelyingParty;
  people: {
    get(id: number): Promise<Person>;
    /** Undefined once the person, or the passkey that they signed in with, is removed. */
    signedIn(signIn: SignIn): Promise<unknown>;
    /** @throws Fault invalid_invitation */
    invited(token: string): Promise<Person>;
  };
  passkeys: {
    registrationOptions(person: Person, party: RelyingParty): Promise<{ challenge: string }>;
    accept(signed: SignedChallenge & { token: string; name: string }, party: RelyingParty): Promise<SignIn>;
    register(
      personId: number,
      signed: SignedChallenge & { name: string },
      party: RelyingParty,
    ): Promise<void>;
    authenticationOptions(party: RelyingParty): Promise<{ challenge: string }>;
    authenticate(signed: SignedChallenge, party: RelyingParty): Promise<SignIn>;
    remove(personId: number, passkeyId: number): Promise<void>;
  };
  /** Counts a ceremony that begins. @throws Fault rate_limited */
  attempt(request: Request): Promise<unknown>;
  /** Counts a failed attempt. @throws Fault rate_limited */
  fail(request: Request): Promise<unknown>;
  /** Opens a session and responds with its state. */
  open(request: Request, signIn: SignIn): Promise<Response>;
  macros: Macros;
}

const PASSKEY_NAME = Text("NewPasskeyName", { max: MAX_PASSKEY_NAME });
/** 256 bits in base64url; a longer one may have been cut off or pasted twice. */
export const TOKEN = AnyText("InvitationToken", { max: 200 });
/** The value of the browser's `PublicKeyCredential.toJSON()`. The library checks each part of it. */
const RESPONSE = t.Object({}, { additionalProperties: true });

const hidden = { query: NoQuery, detail: { hide: true } } as const;
const publicPost = { public: true, reads: "json", ...hidden } as const;
const publicGet = { public: true, ...hidden } as const;

/**
 * Invitations and passkeys, under `/console/auth`. A ceremony has two requests: `.../options` returns options for the browser;
 * the page sends back its `{response}`. In between, a sealed cookie holds the challenge, which is valid for five minutes and
 * for one use.
 */
export const passkeyRoutes = (options: PasskeyRouteOptions) =>
  new Elysia({ name: "console-passkeys", normalize: false })
    .use(options.macros)
    .use(signInRoutes(options))
    .use(ownPasskeyRoutes(options));

/** A page of another site must not sign a visitor in to another account. @throws Fault cross_site_request */
export const assertOwnPage = ({ headers }: Request) => {
  if (!isSameOrigin(headers)) throw new Fault("cross_site_request");
};

/** The two halves of a ceremony. */
const ceremonySteps = ({ ceremonies, isSecure, partyOf, passkeys, fail }: PasskeyRouteOptions) => ({
  async begin(request: Request, ceremony: Ceremony, options: object) {
    const cookie = writeCeremony(ceremony.kind, await ceremonies.seal(ceremony), isSecure(request));
    return respond(200, options, { "set-cookie": cookie });
  },
  async register(request: Request, person: Person) {
    const options = await passkeys.registrationOptions(person, partyOf(request));
    const { challenge } = options;
    return this.begin(request, { kind: "registration", challenge, personId: person.id }, options);
  },
  /** The ceremony that the request ends. @throws Fault passkey_refused, rate_limited */
  async open<Kind extends "authentication" | "registration">(request: Request, kind: Kind) {
    const sealed = readCeremony(kind, request.headers, isSecure(request));
    const ceremony = await ceremonies.open(kind, sealed);
    if (ceremony) return { ...ceremony, spend: () => ceremonies.spend(ceremony) };
    await fail(request);
    throw new Fault("passkey_refused");
  },
  /** Counts an attempt that fails. */
  async countFailure<Result>(request: Request, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await fail(request);
      throw error;
    }
  },
});

const signInRoutes = (options: PasskeyRouteOptions) => {
  const { partyOf, people, passkeys, attempt, open, macros } = options;
  const steps = ceremonySteps(options);
  const begin = async (request: Request) => {
    assertOwnPage(request);
    await attempt(request);
  };
  return new Elysia({ name: "console-sign-in", normalize: false })
    .use(macros)
    .post(
      "/console/auth/passkey/options",
      async ({ request }) => {
        await begin(request);
        const authentication = await passkeys.authenticationOptions(partyOf(request));
        const { challenge } = authentication;
        return steps.begin(request, { kind: "authentication", challenge }, authentication);
      },
      publicGet,
    )
    .post(
      "/console/auth/passkey",
      async ({ request, body: { response } }) => {
        assertOwnPage(request);
        const { challenge, spend } = await steps.open(request, "authentication");
        const signIn = await steps.countFailure(request, () =>
          passkeys.authenticate({ response, challenge, spend }, partyOf(request)),
        );
        return open(request, signIn);
      },
      { ...publicPost, body: t.Object({ response: RESPONSE }, { additionalProperties: false }) },
    )
    .post(
      "/console/auth/invitation",
      async ({ request, body: { token } }) => {
        await begin(request);
        const {
          name,
          email,
          role,
          invitedUntil = 0,
        } = await steps.countFailure(request, () => people.invited(token));
        return respond(200, { name, email, role, expiresAt: formatTime(invitedUntil) });
      },
      { ...publicPost, body: t.Object({ token: TOKEN }, { additionalProperties: false }) },
    )
    .post(
      "/console/auth/invitation/options",
      async ({ request, body: { token } }) => {
        await begin(request);
        const person = await steps.countFailure(request, () => people.invited(token));
        return steps.register(request, person);
      },
      { ...publicPost, body: t.Object({ token: TOKEN }, { additionalProperties: false }) },
    )
    .post(
      "/console/auth/invitation/accept",
      async ({ request, body: { token, response, name = "Passkey" } }) => {
        assertOwnPage(request);
        const { challenge, spend, personId } = await steps.open(request, "registration");
        const signIn = await steps.countFailure(request, async () => {
          // The challenge was made for the person of another invitation.
          if ((await people.invited(token)).id !== personId) throw new Fault("passkey_refused");
          return passkeys.accept({ token, response, challenge, spend, name }, partyOf(request));
        });
        return open(request, signIn);
      },
      {
        ...publicPost,
        body: t.Object(
          { token: TOKEN, response: RESPONSE, name: t.Optional(PASSKEY_NAME) },
          { additionalProperties: false },
        ),
      },
    );
};

const passkeyState = ({ id, name, createdAt, lastUsedAt }: Passkey) => ({
  id,
  name,
  createdAt: formatTime(createdAt),
  lastUsedAt: lastUsedAt === undefined ? undefined : formatTime(lastUsedAt),
});

/** The passkeys of the signed-in person. */
const ownPasskeyRoutes = (options: PasskeyRouteOptions) => {
  const { gateway, partyOf, people, passkeys, attempt, macros } = options;
  const steps = ceremonySteps(options);
  /** @throws Fault not_signed_in, cross_site_request; not_found for a key */
  const personOf = async (request: Request): Promise<Person> => {
    const visitor = await gateway.visitorOf(request);
    if (visitor.kind === "forged") throw new Fault("cross_site_request");
    const holder = visitor.kind === "signed_in" ? visitor.session.holder : undefined;
    if (holder && holder.kind !== "person")
      throw new Fault(
        "not_found",
        "Only people have passkeys. You are signed in with a key or a sign-in link.",
      );
    if (!holder || !(await people.signedIn(holder))) throw notSignedIn();
    return people.get(holder.id);
  };
  return new Elysia({ name: "console-own-passkeys", normalize: false })
    .use(macros)
    .get(
      "/console/auth/passkeys",
      async ({ request }) => {
        const { passkeys: own } = await personOf(request);
        return respond(200, own.map(passkeyState));
      },
      publicGet,
    )
    .post(
      "/console/auth/passkeys/options",
      async ({ request }) => {
        const person = await personOf(request);
        await attempt(request);
        return steps.register(request, person);
      },
      publicGet,
    )
    .post(
      "/console/auth/passkeys",
      async ({ request, body: { response, name = "Passkey" } }) => {
        const { id } = await personOf(request);
        const { challenge, spend, personId } = await steps.open(request, "registration");
        if (personId !== id) throw new Fault("passkey_refused");
        await passkeys.register(id, { response, challenge, spend, name }, partyOf(request));
        return respond(204, undefined);
      },
      {
        ...publicPost,
        body: t.Object(
          { response: RESPONSE, name: t.Optional(PASSKEY_NAME) },
          { additionalProperties: false },
        ),
      },
    )
    .delete(
      "/console/auth/passkeys/:passkeyId",
      async ({ request, params: { passkeyId } }) => {
        const { id } = await personOf(request);
        await passkeys.remove(id, parseId(passkeyId));
        return respond(204, undefined);
      },
      publicGet,
    );
};
