import type { Clock } from "../lib/time.ts";
import type { Certificate } from "./certificate.ts";
import type { IssueCertificate } from "./issue.ts";
import { type Poller, duePoller } from "../lib/poller.ts";
import type { Certificates } from "./repository.ts";

export type CertificateScheduler = Poller;

export interface CertificateSchedulerOptions {
  certificates: Pick<Certificates, "missingBelow" | "find" | "want" | "due" | "retryAfterRestart">;
  issue: IssueCertificate;
  /** Custom domains that are to have a certificate and are not known yet; `limit` at the most. */
  missing(limit: number): Promise<string[]>;
  /** The service's own public names. */
  own: readonly string[];
  /** The domain that projects have their names below, if the public DNS may have it. */
  platformDomain?: string | undefined;
  clock: Clock;
  /** Told of what could not be read or written down. */
  failed: (error: unknown) => void;
}

/** Names dealt with at once: a CA takes seconds for each, and is to be spared. */
const MAX_CONCURRENT = 8;
/** Names that become known in one tick. */
const MAX_NEW = 100;

/** Makes names known that are to have a certificate, and orders and renews certificates when their time has come. */
export const certificateScheduler = ({
  certificates,
  issue,
  missing,
  own,
  platformDomain,
  clock,
  failed,
}: CertificateSchedulerOptions): CertificateScheduler => {
  const missingOwn = async (): Promise<string[]> => {
    const found = await Promise.all(own.map((hostname) => certificates.find(hostname)));
    return own.filter((_, at) => !found[at]);
  };

  const due = async (now: number, limit: number): Promise<Certificate[]> => {
    const names = [...(await missingOwn()), ...(await missing(MAX_NEW))];
    if (platformDomain) names.push(...(await certificates.missingBelow(platformDomain, MAX_NEW)));
    await certificates.want(names, now);
    return certificates.due(now, limit);
  };

  const kept = duePoller({
    due,
    idOf: ({ hostname }) => hostname,
    process: issue,
    maxPerTick: MAX_CONCURRENT,
    maxConcurrent: MAX_CONCURRENT,
    clock,
    onError: failed,
  });
  return {
    ...kept,
    start() {
      // What a setting kept from working may work with another.
      certificates.retryAfterRestart(clock.now()).catch(failed);
      kept.start();
    },
  };
};
