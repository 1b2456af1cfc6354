import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { fromDomain } from "../domains/model.ts";
import type { DomainService } from "../domains/service.ts";
import type { InspectedDomain } from "../domains/reads.ts";
import { comparable } from "../domains/checks.ts";
import { isServed, wantsCertificate } from "../domains/stage.ts";
import { Fault, type FaultCode } from "../lib/errors.ts";
import type { WireDomain } from "./print/domain.ts";

/** The service allows 10 checks of a domain a minute. */
const CHECK_INTERVAL_MS = 10_000;

/** The server's own checks count towards the limit, and name servers can be slow. A later try may succeed. */
const TRANSIENT_FAULTS: ReadonlySet<FaultCode> = new Set(["rate_limited", "not_ready"]);

const withRetries = async (verify: () => Promise<InspectedDomain>): Promise<InspectedDomain> => {
  for (;;) {
    try {
      return await verify();
    } catch (error) {
      if (!(error instanceof Fault && TRANSIENT_FAULTS.has(error.code))) throw error;
      await Bun.sleep(CHECK_INTERVAL_MS);
    }
  }
};

const stateOf = ({ stage, findings, certificate }: InspectedDomain): string =>
  JSON.stringify([stage, findings.map(comparable).toSorted(), certificate?.queue !== undefined]);

/**
 * Verifies a domain until its records are right, then reads it until it is live.
 * @param onChange called after the first check, and then on every change
 */
export const followDomain = async (
  domains: Pick<DomainService, "verify" | "get">,
  project: string,
  hostname: string,
  onChange: (domain: WireDomain) => void,
): Promise<void> => {
  const verify = () => withRetries(() => domains.verify(project, hostname, OPERATOR));
  let before = "";
  let domain = await verify();
  for (;;) {
    if (stateOf(domain) !== before) onChange(fromDomain(domain));
    if (isServed(domain.stage)) return;
    before = stateOf(domain);
    await Bun.sleep(CHECK_INTERVAL_MS);
    domain = await domains.get(project, hostname);
    // A verification would request another order. The server retries a failed one by itself.
    if (!wantsCertificate(domain.stage)) domain = await verify();
  }
};
