import { Elysia, t } from "elysia";
import { MAX_PASSKEY_NAME, type Passkey, type Person, type SignIn } from "../../access/people/person.ts";
import { notSignedIn } from "../../http/authorization.ts";
import { Text, parseId } from "../../http/schemas.ts";
import { Fault } from "../../lib/errors.ts";
import { formatTime } from "../../lib/time.ts";
import { type Ceremony, readCeremony, writeCeremony } from "./cookies.ts";
import { type RouteContext, TOKEN, assertOwnPage, hidden, hiddenPost, respond } from "./route-context.ts";

const NAME = t.Optional(Text("NewPasskeyName", { max: MAX_PASSKEY_NAME }));
/** The value of the browser's `PublicKeyCredential.toJSON()`. The library checks each part of it. */
const RESPONSE = t.Object({}, { additionalProperties: true });

const passkeyState = ({ id, name, createdAt, lastUsedAt }: Passkey) => ({
  id,
  name,
  createdAt: formatTime(createdAt),
  lastUsedAt: lastUsedAt === undefined ? undefined : formatTime(lastUsedAt),
});

/** The two halves of a ceremony, and the people who take part. */
const ceremonySteps = ({
  ceremonies,
  gateway,
  isSecure,
  partyOf,
  people,
  passkeys,
  attempt,
  fail,
}: RouteContext) => ({
  /** Counts an attempt that begins. @throws Fault cross_site_request, rate_limited */
  async count(request: Request) {
    assertOwnPage(request);
    await attempt(request);
  },
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
    const ceremony = await ceremonies.open(kind, readCeremony(kind, request.headers, isSecure(request)));
    if (ceremony) return { ...ceremony, spend: () => ceremonies.spend(ceremony) };
    await fail(request);
    throw new Fault("passkey_refused");
  },
  /** Counts an attempt that fails. */
  async countFailure<Result>(request: Request, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      await fail(request);
      throw error;
    }
  },
  /** The signed-in person. @throws Fault not_signed_in, cross_site_request; not_found for a key */
  async personOf(request: Request): Promise<Person> {
    const holder = (await gateway.signedIn(request))?.session.holder;
    if (holder && holder.kind !== "person")
      throw new Fault(
        "not_found",
        "Only people have passkeys. You are signed in with a key or a sign-in link.",
      );
    if (!holder || !(await people.signedIn(holder))) throw notSignedIn();
    return people.get(holder.id);
  },
});

/**
 * Invitations and passkeys, under `/console/auth`. A ceremony has two requests: `.../options` returns options for the browser;
 * the page sends back its `{response}`. In between, a sealed cookie holds the challenge, which is valid for five minutes and
 * for one use.
 * @param open opens a session and responds with its state
 */
export const passkeyRoutes = (
  context: RouteContext,
  open: (request: Request, signIn: SignIn) => Promise<Response>,
) => {
  const { partyOf, people, passkeys, attempt, macros } = context;
  const steps = ceremonySteps(context);
  return new Elysia({ name: "console-passkeys", normalize: false })
    .use(macros)
    .post(
      "/console/auth/passkey/options",
      async ({ request }) => {
        await steps.count(request);
        const options = await passkeys.authenticationOptions(partyOf(request));
        return steps.begin(request, { kind: "authentication", challenge: options.challenge }, options);
      },
      hidden,
    )
    .post(
      "/console/auth/passkey",
      async ({ request, body: { response } }) => {
        assertOwnPage(request);
        const { challenge, spend } = await steps.open(request, "authentication");
        const signed = passkeys.authenticate({ response, challenge, spend }, partyOf(request));
        return open(request, await steps.countFailure(request, signed));
      },
      hiddenPost({ response: RESPONSE }),
    )
    .post(
      "/console/auth/invitation",
      async ({ request, body: { token } }) => {
        await steps.count(request);
        const person = await steps.countFailure(request, people.invited(token));
        const { name, email, role, invitedUntil = 0 } = person;
        return respond(200, { name, email, role, expiresAt: formatTime(invitedUntil) });
      },
      hiddenPost({ token: TOKEN }),
    )
    .post(
      "/console/auth/invitation/options",
      async ({ request, body: { token } }) => {
        await steps.count(request);
        return steps.register(request, await steps.countFailure(request, people.invited(token)));
      },
      hiddenPost({ token: TOKEN }),
    )
    .post(
      "/console/auth/invitation/accept",
      async ({ request, body: { token, response, name = "Passkey" } }) => {
        assertOwnPage(request);
        const { challenge, spend, personId } = await steps.open(request, "registration");
        const accept = async () => {
          // The challenge was made for the person of another invitation.
          if ((await people.invited(token)).id !== personId) throw new Fault("passkey_refused");
          return passkeys.accept({ token, response, challenge, spend, name }, partyOf(request));
        };
        return open(request, await steps.countFailure(request, accept()));
      },
      hiddenPost({ token: TOKEN, response: RESPONSE, name: NAME }),
    )
    .get(
      "/console/auth/passkeys",
      async ({ request }) => respond(200, (await steps.personOf(request)).passkeys.map(passkeyState)),
      hidden,
    )
    .post(
      "/console/auth/passkeys/options",
      async ({ request }) => {
        const person = await steps.personOf(request);
        await attempt(request);
        return steps.register(request, person);
      },
      hidden,
    )
    .post(
      "/console/auth/passkeys",
      async ({ request, body: { response, name = "Passkey" } }) => {
        const { id } = await steps.personOf(request);
        const { challenge, spend, personId } = await steps.open(request, "registration");
        if (personId !== id) throw new Fault("passkey_refused");
        await passkeys.register(id, { response, challenge, spend, name }, partyOf(request));
        return respond(204);
      },
      hiddenPost({ response: RESPONSE, name: NAME }),
    )
    .delete(
      "/console/auth/passkeys/:passkeyId",
      async ({ request, params: { passkeyId } }) => {
        const { id } = await steps.personOf(request);
        await passkeys.remove(id, parseId(passkeyId));
        return respond(204);
      },
      hidden,
    );
};
