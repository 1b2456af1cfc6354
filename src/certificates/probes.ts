import { createHmac } from "node:crypto";
import { acmeIdentifierOf, fetchAlpnCertificate, shownIdentifier } from "../protocols/acme/tls-alpn.ts";
import { isGlobalUnicast } from "../protocols/dns/address.ts";
import type { FetchChallenge, TryHandshake } from "./preflight.ts";

/** For each of HTTP and TLS. All addresses are tried at the same time, so a preflight takes ten seconds at most. */
export const PROBE_MS = 5000;
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
export const assertReachable = (address: string, allowsPrivate: boolean) => {
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

export const OTHER_SERVER = "another server responds";

/**
 * Opens TLS-ALPN-01 handshakes as a CA does (RFC 8737 section 3), and recognises the service by what its certificate proves.
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
