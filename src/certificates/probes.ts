import { X509Certificate } from "node:crypto";
import type { Clock } from "../lib/time.ts";
import { type KeyAndCertificate, alpnCertificate, fetchAlpnCertificate } from "../protocols/acme/tls-alpn.ts";
import { isGlobalUnicast } from "../protocols/dns/address.ts";
import type { FetchChallenge, OpenHandshakeTrial } from "./preflight.ts";

/** For each of HTTP and TLS. All addresses are tried at the same time, so a preflight takes ten seconds at most. */
export const PROBE_MS = 5000;
const PROBE_BYTES = 200;

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

type Pending = Pick<Map<string, KeyAndCertificate>, "get" | "set" | "delete">;

/** Trials of a name at the same time share a certificate. That of an order stays: its CA is about to ask for it. */
const trialCertificates = (pending: Pending) => {
  const users = new Map<KeyAndCertificate, number>();
  return {
    begin(hostname: string, made: KeyAndCertificate): KeyAndCertificate {
      const pair = pending.get(hostname) ?? made;
      pending.set(hostname, pair);
      if (pair === made || users.has(pair)) users.set(pair, (users.get(pair) ?? 0) + 1);
      return pair;
    },
    end(hostname: string, pair: KeyAndCertificate): void {
      const left = (users.get(pair) ?? 0) - 1;
      if (left > 0) users.set(pair, left);
      else if (users.delete(pair) && pending.get(hostname) === pair) pending.delete(hostname);
    },
  };
};

/**
 * Opens TLS-ALPN-01 handshakes as a CA does (RFC 8737 section 3). The certificate is new, so only this process can
 * present it.
 * @param pending the certificates that this process presents in such handshakes, by host name
 */
export const handshakeTrialOpener = (
  { acmeTlsPort, dnsPrivate }: { acmeTlsPort: number; dnsPrivate: boolean },
  pending: Pending,
  clock: Clock,
): OpenHandshakeTrial => {
  const { begin, end } = trialCertificates(pending);
  return async (hostname) => {
    const made = await alpnCertificate(hostname, `probe-${crypto.randomUUID()}`, clock.now());
    const pair = begin(hostname, made);
    return {
      async connect(address) {
        assertReachable(address, dnsPrivate);
        const options = { address, port: acmeTlsPort, timeoutMs: PROBE_MS };
        const shown = await fetchAlpnCertificate(hostname, options);
        // An order of the name may have begun meanwhile.
        const { cert } = pending.get(hostname) ?? pair;
        if (!new X509Certificate(cert).raw.equals(shown)) throw new Error("another server responds");
      },
      end: () => end(hostname, pair),
    };
  };
};
