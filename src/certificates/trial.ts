import { acmeIdentifierOf, fetchAlpnCertificate, shownIdentifier } from "../protocols/acme/tls-alpn.ts";
import { OTHER_SERVER, PROBE_MS, type Probes, assertReachable, challengeFetcher } from "./probes.ts";

/** Challenges that every process of a store presents on its ports, so that a client can tell it from other servers. */
export interface Trial {
  hostname: string;
  /** Of the challenge over HTTP. */
  token: string;
  body: string;
  /** What the certificate in a TLS-ALPN-01 handshake proves. */
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
