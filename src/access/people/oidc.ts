import type { Configuration, IDToken } from "openid-client";
import type { Context } from "../../data/context.ts";
import { limitedFetch } from "../../lib/limited-fetch.ts";
import type { Clock } from "../../lib/time.ts";
import type { PersonRepository } from "./repository.ts";

/** Why a sign-in failed. */
type Problem = "unavailable" | "denied" | "email_not_verified" | "unknown_person";

/** Limits for requests to the provider, in time and size. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };
/** How long the provider's metadata is cached. */
const DISCOVERY_MS = 60 * 60_000;

// Imported on first use, so that it does not slow down the start.
const library = () => import("openid-client");

/** True for a provider on this machine, for tests: every other must be reached over HTTPS. */
const isLoopback = (issuer: URL): boolean =>
  issuer.protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(issuer.hostname);

/**
 * Asks the provider for its addresses and keys. Without a secret, this service is a public client.
 * @throws if it can't be reached, or is not the issuer
 */
const discoverProvider = async (
  issuer: string,
  clientId: string,
  clientSecret: string | undefined,
): Promise<Configuration> => {
  const { None, allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } = await library();
  const address = new URL(issuer);
  return discovery(address, clientId, clientSecret, clientSecret === undefined ? None() : undefined, {
    [customFetch]: limitedFetch(LIMITS),
    // The signature of ID tokens is checked too, although they come from the provider directly.
    execute: [enableNonRepudiationChecks, ...(isLoopback(address) ? [allowInsecureRequests] : [])],
  });
};

/** The provider's configuration, for an hour. Requests at the same time share one discovery; a failure is not kept. */
const cachedProvider = (discover: () => Promise<Configuration>, clock: Clock) => {
  let cached: { provider: Promise<Configuration>; until: number } | undefined;
  return (): Promise<Configuration> => {
    if (cached && cached.until > clock.now()) return cached.provider;
    const provider = discover();
    const entry = { provider, until: clock.now() + DISCOVERY_MS };
    cached = entry;
    provider.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return provider;
  };
};

/** The person's email address, according to the provider. */
const emailOf = async (
  provider: Configuration,
  claims: IDToken,
  accessToken: string,
): Promise<Readonly<Record<string, unknown>>> => {
  if (claims["email"] !== undefined || !provider.serverMetadata().userinfo_endpoint) return claims;
  const { fetchUserInfo } = await library();
  return fetchUserInfo(provider, accessToken, claims.sub);
};

/**
 * Signing in with an account at an OpenID Connect provider: the authorization code flow with PKCE, state and nonce. A person is
 * identified by issuer and subject; at first by the email address that the provider has verified. Undefined without
 * OIDC_ISSUER.
 */
export const openOidc = (people: PersonRepository, { config, clock, log }: Context) => {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: secret } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  const providerOf = cachedProvider(() => discoverProvider(issuer, clientId, secret), clock);
  const onError = (error: unknown) => log.warn({ err: error }, "signing in at OIDC_ISSUER failed");

  const personOf = async (
    provider: Configuration,
    claims: IDToken,
    accessToken: string,
  ): Promise<{ personId: number } | { problem: Problem }> => {
    const identity = { issuer: claims.iss, subject: claims.sub };
    const known = await people.findIdentity(identity);
    if (known !== undefined) return { personId: known };
    const { email, email_verified: isVerified } = await emailOf(provider, claims, accessToken);
    if (typeof email !== "string" || isVerified !== true) return { problem: "email_not_verified" };
    const personId = await people.link(identity, email, clock.now());
    return personId === undefined ? { problem: "unknown_person" } : { personId };
  };

  /** The provider's own refusal, or a failure between it and the service. */
  const problemOf = async (error: unknown): Promise<Problem> => {
    const { AuthorizationResponseError } = await library();
    if (error instanceof AuthorizationResponseError) return "denied";
    onError(error);
    return "unavailable";
  };

  return {
    /** The provider's name, for people. */
    label: config.oidcLabel,
    /** The address of the provider's sign-in page. */
    async begin(redirectUri: string) {
      try {
        const { calculatePKCECodeChallenge, ...client } = await library();
        const state = client.randomState();
        const [nonce, verifier] = [client.randomNonce(), client.randomPKCECodeVerifier()];
        const url = client.buildAuthorizationUrl(await providerOf(), {
          redirect_uri: redirectUri,
          scope: config.oidcScopes,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        });
        return { url: url.href, state, nonce, verifier };
      } catch (error) {
        onError(error);
        throw error;
      }
    },
    /** The person who came back from the provider to the address `returned`, or the reason for a failed sign-in. */
    async finish(
      returned: URL,
      { state, nonce, verifier }: { state: string; nonce: string; verifier: string },
    ): Promise<{ personId: number } | { problem: Problem }> {
      try {
        const { authorizationCodeGrant } = await library();
        const provider = await providerOf();
        const tokens = await authorizationCodeGrant(provider, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) return { problem: "unavailable" };
        return await personOf(provider, claims, tokens.access_token);
      } catch (error) {
        return { problem: await problemOf(error) };
      }
    },
  };
};
