import { X509Certificate } from "node:crypto";
import type { Clock } from "../lib/time.ts";
import { type KeyAndCertificate, alpnCertificate, fetchAlpnCertificate } from "../protocols/acme/tls-alpn.ts";
import { isGlobalUnicast } from "../protocols/dns/address.ts";
import type { FetchChallenge, OpenHandshakeTrial } from "./preflight.ts";

/** For each of HTTP and TLS. All addresses are tried at the same time, so a preflight takes ten seconds at most. */
const PROBE_MS = 5000;
const PROBE_BYTES = 200;

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

/**
 * Opens TLS-ALPN-01 handshakes as a CA does (RFC 8737 section 3). Each trial has a new challenge, so only this process can
 * present its certificate.
 * @param pending the certificates that this process presents in such handshakes, by host name
 */
export const handshakeTrialOpener =
  (
    { acmeTlsPort, dnsPrivate }: { acmeTlsPort: number; dnsPrivate: boolean },
    pending: Pick<Map<string, KeyAndCertificate>, "set" | "delete">,
    clock: Clock,
  ): OpenHandshakeTrial =>
  async (hostname) => {
    const pair = await alpnCertificate(hostname, `probe-${crypto.randomUUID()}`, clock.now());
    pending.set(hostname, pair);
    return {
      async connect(address) {
        assertReachable(address, dnsPrivate);
        const shown = await fetchAlpnCertificate(hostname, {
          address,
          port: acmeTlsPort,
          timeoutMs: PROBE_MS,
        });
        if (!new X509Certificate(pair.cert).raw.equals(shown)) throw new Error("another server responds");
      },
      end: () => void pending.delete(hostname),
    };
  };
