import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { type AcmeClient, acmeClient } from "../protocols/acme/client.ts";
import { shownCertificate } from "../protocols/acme/handshake.ts";
import { type KeyAndCertificate, alpnCertificate } from "../protocols/acme/keys.ts";
import type { FetchChallenge, OpenHandshakes } from "../certificates/preflight.ts";
import { isGlobalUnicast } from "../protocols/dns/address.ts";
import type { Clock } from "../lib/time.ts";

/** Over HTTP, and as long again in the handshake: all addresses of a name are asked at the same time, in ten seconds. */
const PROBE_MS = 5000;
/** Public, unless the service's own settings say that it works with others. */
const assertReachable = (address: string, dnsPrivate: boolean) => {
  if (!dnsPrivate && !isGlobalUnicast(address)) throw new Error("the address is not a public one");
};

const PROBE_BYTES = 200;

/** Asks as a certificate authority does (RFC 8555 section 8.3), at one address of the name. */
export const challengeFetcher =
  ({ acmeHttpPort, dnsPrivate }: Config): FetchChallenge =>
  async (address, hostname, token) => {
    assertReachable(address, dnsPrivate);
    const host = address.includes(":") ? `[${address}]` : address;
    const answer = await fetch(`http://${host}:${acmeHttpPort}/.well-known/acme-challenge/${token}`, {
      headers: { host: hostname },
      redirect: "manual",
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return new TextDecoder().decode(value?.subarray(0, PROBE_BYTES));
  };

/** Asks as a certificate authority does in a TLS handshake (RFC 8737 section 3), for a challenge that nobody else knows. */
export const handshakeTrial =
  (
    { acmeTlsPort, dnsPrivate }: Pick<Config, "acmeTlsPort" | "dnsPrivate">,
    pending: Pick<Map<string, KeyAndCertificate>, "set" | "delete">,
    clock: Clock,
  ): OpenHandshakes =>
  async (hostname) => {
    const pair = await alpnCertificate(hostname, `probe-${crypto.randomUUID()}`, clock.now());
    pending.set(hostname, pair);
    return {
      async at(address) {
        assertReachable(address, dnsPrivate);
        const shown = await shownCertificate(hostname, { address, port: acmeTlsPort, timeoutMs: PROBE_MS });
        if (!new X509Certificate(pair.cert).raw.equals(shown))
          throw new Error("another server than this one answers");
      },
      end: () => void pending.delete(hostname),
    };
  };

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** True if a text holds PEM certificates, all of which can be read. */
const holdsCertificates = (text: string): boolean => {
  try {
    return (text.match(BLOCK) ?? []).map((block) => new X509Certificate(block)).length > 0;
  } catch {
    return false;
  }
};

/** Whom to trust beside the system's authorities, PEM. @throws OperatorError */
const trustedIn = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new OperatorError(
      `ACME_CA_FILE ${file}: cannot be read (${reasonOf(error)}); give the path of a file that this user may read, or unset it for a public authority`,
      { cause: error },
    );
  }
  if (holdsCertificates(text)) return text;
  throw new OperatorError(
    `ACME_CA_FILE ${file}: it must hold the authority's root certificate as PEM (-----BEGIN CERTIFICATE-----); unset it for a public authority`,
  );
};

/** The clients of the certificate authorities, each made when it is first asked. */
export const acmeClients = (
  { acmeEmail, acmeCaFile, acmeEabKid, acmeEabHmac }: Config,
  clock: Clock,
  sleep: (ms: number) => Promise<void>,
) => {
  const ca = acmeCaFile === undefined ? undefined : trustedIn(acmeCaFile);
  const clients = new Map<string, AcmeClient>();
  const make = (directory: string) =>
    acmeClient(
      {
        directory,
        ...(acmeEmail !== undefined && { email: acmeEmail }),
        ...(acmeEabKid !== undefined &&
          acmeEabHmac !== undefined && { eab: { kid: acmeEabKid, hmac: acmeEabHmac } }),
        ...(ca !== undefined && { ca }),
      },
      { fetch, sleep, clock },
    );
  return (directory: string): AcmeClient => {
    const client = clients.get(directory) ?? make(directory);
    clients.set(directory, client);
    return client;
  };
};
