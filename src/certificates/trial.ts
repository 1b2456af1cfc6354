import type { Clock } from "../lib/time.ts";
import { type KeyAndCertificate, alpnCertificate, fetchAlpnCertificate } from "../protocols/acme/tls-alpn.ts";
import type { Probes } from "./preflight.ts";
import { PROBE_MS, assertReachable, challengeFetcher } from "./probes.ts";

/** Challenges that this process presents on its ports, so that a client can tell it from other servers. */
export interface Trial {
  hostname: string;
  /** Of the challenge over HTTP. */
  token: string;
  body: string;
  /** SHA-256 of the certificate in a TLS-ALPN-01 handshake. */
  fingerprint: string;
  /** The ports to which CAs connect. */
  ports: { http: number; tls: number };
}

const fingerprintOf = (certificate: Uint8Array<ArrayBuffer>): string => Bun.SHA256.hash(certificate, "hex");

const derOf = ({ cert }: KeyAndCertificate): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromBase64(cert.replaceAll(/-----[^-]+-----|\s/g, ""));

/**
 * Presents a new trial in place of the last one, until the next.
 * @param pending the certificates that this process presents in TLS-ALPN-01 handshakes, by host name
 */
export const trialOpener = (
  probes: Pick<Probes, "add" | "remove">,
  pending: Pick<Map<string, KeyAndCertificate>, "set" | "delete">,
  ports: Trial["ports"],
  clock: Clock,
) => {
  let last: Trial | undefined;
  return async (zone: string): Promise<Trial> => {
    const hostname = `probe-${crypto.randomUUID()}.${zone}`;
    const pair = await alpnCertificate(hostname, `probe-${crypto.randomUUID()}`, clock.now());
    if (last) probes.remove(last.token);
    if (last) pending.delete(last.hostname);
    pending.set(hostname, pair);
    last = { hostname, ...probes.add(hostname), fingerprint: fingerprintOf(derOf(pair)), ports };
    return last;
  };
};

const OTHER_SERVER = "another server responds";

/** Recognises the process that presents a trial, at an address of this service. */
export const portTrials = ({ hostname, token, body, fingerprint, ports }: Trial, dnsPrivate: boolean) => {
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
        const found = await fetchAlpnCertificate(hostname, options);
        if (fingerprintOf(Uint8Array.from(found)) !== fingerprint) throw new Error(OTHER_SERVER);
      },
    },
  };
};
