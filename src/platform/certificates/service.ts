import type { Context } from "../../data/context.ts";
import { Fault } from "../../lib/errors.ts";
import { formatTime } from "../../lib/time.ts";
import { renewalTime } from "../../protocols/acme/renewal.ts";
import { HOSTNAME_REFUSALS, parseDomainName, wildcardAbove } from "../../lib/hostname.ts";
import { sentence } from "../../lib/text.ts";
import type { Certificate, KeyPair } from "./certificate.ts";
import type { Ordering } from "./order.ts";
import { type Wildcard, namesIn } from "./wildcard.ts";

const PAGE = 1000;

const notFound = () => new Fault("not_found", "No certificate is known for this name.");

const covered = ({ hostname }: Wildcard) =>
  new Fault("not_found", `This name uses the certificate of ${hostname}: give ${hostname} instead.`);

/** @param wildcard of the projects' names, whose domain may be any name */
const nameOf = (typed: string, wildcard: Wildcard | undefined): string => {
  if (typed.trim().toLowerCase() === wildcard?.hostname) return wildcard.hostname;
  const parsed = parseDomainName(typed);
  if (!parsed.ok)
    throw new Fault("invalid_request", `${JSON.stringify(typed)} ${HOSTNAME_REFUSALS[parsed.refusal]}.`);
  return parsed.hostname.ascii;
};

export const certificateService = (
  { clock }: Pick<Context, "clock">,
  {
    certificates,
    clientOf,
    assertLoads,
    wildcard,
  }: Pick<Ordering, "certificates" | "clientOf" | "wildcard"> & {
    /** Loads the pair into the TLS library. @throws the library's error if it refuses the pair */
    assertLoads(pair: KeyPair): void;
  },
) => {
  /** @throws Fault not_found; invalid_request if it is not a host name */
  const get = async (typed: string): Promise<Certificate> => {
    const found = await certificates.find(nameOf(typed, wildcard));
    if (found) return found;
    throw wildcard?.covers(nameOf(typed, wildcard)) ? covered(wildcard) : notFound();
  };
  return {
    get,
    /** The certificate that a name uses: its own, or that of a wildcard. @throws Fault as `get` */
    async inUse(typed: string): Promise<Certificate> {
      const hostname = nameOf(typed, wildcard);
      const own = await certificates.find(hostname);
      if (own) return own;
      const above = wildcard?.covers(hostname) ? wildcard.hostname : wildcardAbove(hostname);
      return (await certificates.find(above)) ?? get(typed);
    },
    /** All names, ascending. */
    async all(): Promise<Certificate[]> {
      const found: Certificate[] = [];
      for (let after = ""; ; after = found.at(-1)?.hostname ?? "") {
        const page = await certificates.list({ after, limit: PAGE });
        found.push(...page);
        if (page.length < PAGE) return found;
      }
    },
    /** Requests a new certificate. @throws Fault not_found, rate_limited */
    async renew(typed: string): Promise<Certificate> {
      const { hostname, nextAt } = await get(typed);
      if (wildcard?.covers(hostname)) throw covered(wildcard);
      if (await certificates.request(hostname, clock.now())) return get(hostname);
      const until =
        nextAt === null ? "" : ` The next attempt is at ${formatTime(Math.max(nextAt, clock.now()))}.`;
      throw new Fault("rate_limited", `The CA allows no further attempt now.${until}`);
    },
    /**
     * Revokes the certificate at its CA, and requests another.
     * @throws Fault not_found; invalid_request if no CA issued it to this service; AcmeProblem
     */
    async revoke(typed: string): Promise<Certificate> {
      const { hostname, issued } = await get(typed);
      const account = issued?.ca ? await certificates.account(issued.ca) : undefined;
      if (!issued?.ca || account?.url === undefined)
        throw new Fault("invalid_request", "The name has no certificate that a CA issued to this service.");
      const { readCertificate } = await import("../../protocols/acme/certificate.ts");
      const { der } = await readCertificate(issued.chain);
      await clientOf(issued.ca).revoke({ key: account.key, url: account.url }, der);
      await certificates.withdraw(hostname, issued.chain);
      return get(hostname);
    },
    /** Puts an imported certificate in use. @throws Fault invalid_request if it does not fit */
    async import(typed: string, { key, chain }: KeyPair): Promise<Certificate> {
      const hostname = nameOf(typed, wildcard);
      const now = clock.now();
      const { assertImportable } = await import("./imported.ts");
      await assertImportable({ key, chain }, namesIn(wildcard)(hostname), now);
      try {
        assertLoads({ key, chain });
      } catch (error) {
        throw new Fault(
          "invalid_request",
          `The TLS library refuses the certificate with its key: ${sentence((error as Error).message)} Ask the CA for another.`,
        );
      }
      const { readCertificate } = await import("../../protocols/acme/certificate.ts");
      const { notBefore, notAfter } = await readCertificate(chain);
      const issued = { key, chain, ca: null, notBefore, notAfter, ariId: null };
      // Unless another is imported before, a certificate is ordered when any other would be renewed.
      const nextAt = renewalTime({ validity: issued, now }, () => 0);
      await certificates.installImported(hostname, issued, nextAt, now);
      return get(hostname);
    },
  };
};

export type CertificateService = ReturnType<typeof certificateService>;
