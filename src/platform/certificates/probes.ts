import { createHmac } from "node:crypto";
import type { Context } from "../../data/context.ts";
import { lruCache } from "../../lib/lru.ts";
import {
  type KeyAndCertificate,
  acmeIdentifierOf,
  alpnCertificate,
  fetchAlpnCertificate,
  shownIdentifier,
} from "../../protocols/acme/tls-alpn.ts";
import { isGlobalUnicast } from "../../protocols/dns/address.ts";
import type { FetchChallenge, TryHandshake } from "./preflight.ts";
import type { Certificates } from "./repository.ts";

/** For each of HTTP and TLS. All addresses are tried at the same time, so a preflight takes ten seconds at most. */
const PROBE_MS = 5000;
const PROBE_BYTES = 200;

const TOKEN = /^probe-([0-9a-f-]{36})-/;
const LABEL = /^probe-([0-9a-f]{32})-/;

/**
 * Challenges that the service sets itself, to try whether it can be reached. Every process of a store responds to those of the
 * others, because they follow from the id of the store: nothing is kept. They tell this store from other servers by accident,
 * not from one that wants to be taken for it: that one could just pass the requests on.
 */
export const challengeProbes = (storeId: string) => {
  const digest = (...parts: string[]): string =>
    createHmac("sha256", storeId).update(JSON.stringify(parts)).digest("hex").slice(0, 32);
  const tokenOf = (hostname: string, nonce: string) => `probe-${nonce}-${digest("token", hostname, nonce)}`;
  const nameOf = (zone: string, nonce: string) =>
    `probe-${nonce}-${digest("name", zone, nonce).slice(0, 16)}.${zone}`;
  const bodyOf = (token: string) => digest("body", token);
  return {
    /** A new token, and the response body that belongs to it. */
    open(hostname: string): { token: string; body: string } {
      const token = tokenOf(hostname, crypto.randomUUID());
      return { token, body: bodyOf(token) };
    },
    /** The response body for a token under this name; undefined if the token is not a probe's. */
    responseTo(hostname: string, token: string): string | undefined {
      const nonce = TOKEN.exec(token)?.[1];
      return nonce !== undefined && token === tokenOf(hostname, nonce) ? bodyOf(token) : undefined;
    },
    /** The key authorization that TLS-ALPN-01 handshakes of this name prove while no order is pending. */
    authorizationFor: (hostname: string): string => digest("handshake", hostname),
    /** A new name below a zone, for handshakes. */
    openName: (zone: string): string => nameOf(zone, crypto.randomUUID().replaceAll("-", "")),
    /** True if `openName` of any process of the store made the name. */
    isName(hostname: string): boolean {
      const nonce = LABEL.exec(hostname)?.[1];
      return nonce !== undefined && hostname === nameOf(hostname.slice(hostname.indexOf(".") + 1), nonce);
    },
  };
};

export type Probes = ReturnType<typeof challengeProbes>;

/** Refuses private addresses unless the settings allow them. */
const assertReachable = (address: string, allowsPrivate: boolean) => {
  if (!allowsPrivate && !isGlobalUnicast(address)) throw new Error("the address is not public");
};

/** Fetches a challenge as a CA does (RFC 8555 section 8.3), at one address of the name. */
export const challengeFetcher =
  ({ acmeHttpPort, dnsPrivate }: { acmeHttpPort: number; dnsPrivate: boolean }): FetchChallenge =>
  async (address, hostname, token) => {
    assertReachable(address, dnsPrivate);
    const host = address.includes(":") ? `[${address}]` : address;
    const response = await fetch(`http://${host}:${acmeHttpPort}/.well-known/acme-challenge/${token}`, {
      headers: { host: hostname },
      redirect: "manual",
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return new TextDecoder().decode(value?.subarray(0, PROBE_BYTES));
  };

const OTHER_SERVER = "another server responds";

/**
 * Opens TLS-ALPN-01 handshakes as a CA does (RFC 8737 section 3), and recognizes the service by its certificate.
 * @param pending the key authorization of the order that is pending for a name
 */
export const handshakeTrier =
  (
    { acmeTlsPort: port, dnsPrivate }: { acmeTlsPort: number; dnsPrivate: boolean },
    { authorizationFor }: Pick<Probes, "authorizationFor">,
    pending: (hostname: string) => Promise<string | undefined>,
  ): TryHandshake =>
  async (hostname, address) => {
    assertReachable(address, dnsPrivate);
    const before = await pending(hostname);
    const certificate = await fetchAlpnCertificate(hostname, { address, port, timeoutMs: PROBE_MS });
    // An order may have begun or ended meanwhile.
    const accepted = [authorizationFor(hostname), before, await pending(hostname)];
    const shown = await shownIdentifier(certificate);
    if (!accepted.some((authorization) => authorization && acmeIdentifierOf(authorization) === shown))
      throw new Error(OTHER_SERVER);
  };

/** Challenges that every process of a store presents on its ports, so that a client can tell it from other servers. */
export interface Trial {
  hostname: string;
  /** Of the challenge over HTTP. */
  token: string;
  body: string;
  /** The proof in the certificate of a TLS-ALPN-01 handshake. */
  identifier: string;
  /** The ports to which CAs connect. */
  ports: { http: number; tls: number };
}

export const newTrial = (probes: Probes, ports: Trial["ports"], zone: string): Trial => {
  const hostname = probes.openName(zone);
  const identifier = acmeIdentifierOf(probes.authorizationFor(hostname));
  return { hostname, ...probes.open(hostname), identifier, ports };
};

/** Recognises the store that presents a trial, at an address of this service. */
export const portTrials = ({ hostname, token, body, identifier, ports }: Trial, dnsPrivate: boolean) => {
  const fetchChallenge = challengeFetcher({ acmeHttpPort: ports.http, dnsPrivate });
  return {
    http: {
      port: ports.http,
      async connect(address: string): Promise<void> {
        const found = await fetchChallenge(address, hostname, token);
        if (found.trim() !== body) throw new Error(OTHER_SERVER);
      },
    },
    https: {
      port: ports.tls,
      async connect(address: string): Promise<void> {
        assertReachable(address, dnsPrivate);
        const options = { address, port: ports.tls, timeoutMs: PROBE_MS };
        const certificate = await fetchAlpnCertificate(hostname, options);
        if ((await shownIdentifier(certificate)) !== identifier) throw new Error(OTHER_SERVER);
      },
    },
  };
};

const MAX_CERTIFICATES = 200;
/** A certificate is valid for a day. */
const RENEWED_MS = 12 * 60 * 60_000;

/**
 * The responses to the challenges of CAs, and to those that the service sets itself. They follow from the rows of certificates,
 * so any process of the store responds, whichever placed the order.
 * @param isProbed true for names that this service tries to reach itself
 */
export const challengeResponses = (
  { database, clock }: Context,
  certificates: Certificates,
  probes: Probes,
  isProbed: (hostname: string) => Promise<boolean>,
) => {
  const made = lruCache<string, Promise<KeyAndCertificate>>({ maxEntries: MAX_CERTIFICATES });

  const certificateFor = (hostname: string, authorization: string): Promise<KeyAndCertificate> => {
    const now = clock.now();
    const key = `${hostname} ${authorization} ${Math.floor(now / RENEWED_MS)}`;
    const pair = made.get(key) ?? alpnCertificate(hostname, authorization, now);
    made.set(key, pair);
    return pair;
  };

  // Another process may have placed the order. If the engine of a cluster is unreachable, local data is the best available.
  const tryFresh = () => database.fresh().catch(() => {});

  /** The key authorization that a handshake of this name proves; undefined if nothing is asked for it. */
  const authorizationOf = async (hostname: string): Promise<string | undefined> =>
    certificates.pendingAuthorization(hostname) ??
    (probes.isName(hostname) || (await isProbed(hostname)) ? probes.authorizationFor(hostname) : undefined);

  return {
    /** The body over HTTP (RFC 8555 section 8.3); undefined if the token is unknown. */
    async overHttp(hostname: string, token: string): Promise<string | undefined> {
      const probe = probes.responseTo(hostname, token);
      if (probe !== undefined) return probe;
      await tryFresh();
      return certificates.keyAuthorization(hostname, token);
    },
    /** The certificate in a handshake (RFC 8737 section 3); undefined if none is asked for. */
    async inHandshake(hostname: string): Promise<KeyAndCertificate | undefined> {
      await tryFresh();
      const authorization = await authorizationOf(hostname);
      return authorization === undefined ? undefined : certificateFor(hostname, authorization);
    },
    /** The key authorization of the pending order of a name. */
    async pending(hostname: string): Promise<string | undefined> {
      await tryFresh();
      return certificates.pendingAuthorization(hostname);
    },
  };
};
