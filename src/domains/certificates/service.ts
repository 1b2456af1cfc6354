import { createPrivateKey } from "node:crypto";
import { Fault } from "../../http/faults.ts";
import { type Clock, formatTime } from "../../time.ts";
import type { AcmeClient } from "../acme/client.ts";
import { parseHostname } from "../hostname.ts";
import type { Certificate, KeyPair } from "./certificate.ts";
import type { Certificates } from "./repository.ts";

export interface CertificateService {
  /** All names, ascending. */
  all(): Promise<Certificate[]>;
  /** @throws Fault not_found */
  get(typed: string): Promise<Certificate>;
  /** Has one ordered at once. @throws Fault not_found, rate_limited */
  renew(typed: string): Promise<Certificate>;
  /**
   * Tells the authority that the certificate must not be trusted any more, and has another ordered.
   * @throws Fault not_found, invalid_request if it has none that an authority issued; AcmeProblem
   */
  revoke(typed: string): Promise<Certificate>;
  /** Uses a certificate that came from elsewhere. @throws Fault invalid_request if it does not fit */
  import(typed: string, pair: KeyPair): Promise<Certificate>;
}

const PAGE = 1000;

const notFound = () => new Fault("not_found", "No certificate is known for this name.");

const CURVES: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1"]);
const LEAST_RSA_BITS = 2048;

/** Keys that browsers take (CA/Browser Forum, Baseline Requirements 6.1.5). @throws Fault invalid_request */
const assertUsable = (pem: string) => {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = createPrivateKey(pem);
  const isUsable =
    (type === "ec" && CURVES.has(details.namedCurve)) ||
    (type === "rsa" && (details.modulusLength ?? 0) >= LEAST_RSA_BITS);
  if (!isUsable)
    throw new Fault(
      "invalid_request",
      `The key must be of P-256 or P-384, or RSA of ${LEAST_RSA_BITS} bits or more.`,
    );
};

const nameOf = (typed: string): string => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw notFound();
  return parsed.hostname.ascii;
};

export const certificateService = ({
  certificates,
  clientOf,
  clock,
}: {
  certificates: Certificates;
  clientOf(authority: string): AcmeClient;
  clock: Clock;
}): CertificateService => {
  const get = async (typed: string): Promise<Certificate> => {
    const found = await certificates.find(nameOf(typed));
    if (!found) throw notFound();
    return found;
  };
  return {
    get,
    async all() {
      const found: Certificate[] = [];
      for (let after = ""; ; after = found.at(-1)?.hostname ?? "") {
        const page = await certificates.list({ after, limit: PAGE });
        found.push(...page);
        if (page.length < PAGE) return found;
      }
    },
    async renew(typed) {
      const { hostname, nextAt } = await get(typed);
      if (await certificates.order(hostname)) return get(hostname);
      const until = nextAt === null ? "" : ` The next attempt is at ${formatTime(nextAt)}.`;
      throw new Fault("rate_limited", `The authority allows no further attempt now.${until}`);
    },
    async revoke(typed) {
      const { hostname, issued } = await get(typed);
      const account = issued?.authority ? await certificates.account(issued.authority) : undefined;
      if (!issued?.authority || account?.url === undefined)
        throw new Fault(
          "invalid_request",
          "The name has no certificate that an authority issued to this service.",
        );
      const { readCertificate } = await import("../acme/certificate.ts");
      const { der } = await readCertificate(issued.chain);
      await clientOf(issued.authority).revoke({ key: account.key, url: account.url }, der);
      await certificates.withdrawn(hostname);
      return get(hostname);
    },
    async import(typed, { key, chain }) {
      const hostname = nameOf(typed);
      const now = clock.now();
      const { assertFits, readCertificate } = await import("../acme/certificate.ts");
      try {
        await assertFits(chain, key, [hostname], now);
      } catch (error) {
        throw new Fault("invalid_request", (error as Error).message);
      }
      assertUsable(key);
      const { notBefore, notAfter } = await readCertificate(chain);
      await certificates.want([hostname], now);
      // Nobody renews it but who brought it: an order comes when it is half way to its end.
      const issued = { key, chain, authority: null, notBefore, notAfter, ariId: null };
      await certificates.stored(hostname, issued, notAfter - (notAfter - notBefore) / 3, now);
      return get(hostname);
    },
  };
};
