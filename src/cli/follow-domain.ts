import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { fromDomain } from "../domains/model.ts";
import type { DomainService } from "../domains/service.ts";
import type { InspectedDomain } from "../domains/views.ts";
import { isServed } from "../domains/stage.ts";
import { Fault, type FaultCode } from "../lib/errors.ts";
import type { WireDomain } from "./print/domain.ts";

/** The service allows 10 checks of a domain a minute. */
const CHECK_INTERVAL_MS = 10_000;

/** The server's own checks count towards the limit, and name servers can be slow. A later try may succeed. */
const TRANSIENT_FAULTS: ReadonlySet<FaultCode> = new Set(["rate_limited", "not_ready"]);

const verifyWithRetries = async (
  domains: DomainService,
  project: string,
  hostname: string,
): Promise<InspectedDomain> => {
  for (;;) {
    try {
      return await domains.verify(project, hostname, OPERATOR);
    } catch (error) {
      if (!(error instanceof Fault && TRANSIENT_FAULTS.has(error.code))) throw error;
      await Bun.sleep(CHECK_INTERVAL_MS);
    }
  }
};

/** Checks a domain until it is live. @param onChange called after the first check, and then on every change */
export const followDomain = async (
  domains: DomainService,
  project: string,
  hostname: string,
  onChange: (domain: WireDomain) => void,
): Promise<void> => {
  let before = "";
  for (;;) {
    const domain = fromDomain(await verifyWithRetries(domains, project, hostname));
    const state = JSON.stringify([domain.stage, domain.findings, domain.certificate?.queue !== undefined]);
    if (state !== before) onChange(domain);
    before = state;
    if (isServed(domain.stage)) return;
    await Bun.sleep(CHECK_INTERVAL_MS);
  }
};
