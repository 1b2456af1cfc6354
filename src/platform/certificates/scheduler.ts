import type { Clock } from "../../lib/time.ts";
import type { Certificate } from "./certificate.ts";
import type { IssueCertificate } from "./issue.ts";
import { type Poller, duePoller } from "../../lib/poller.ts";
import { readCertificate } from "../../protocols/acme/certificate.ts";
import type { CertificateQueue } from "./queue.ts";
import type { Certificates } from "./repository.ts";
import type { Wildcard } from "./wildcard.ts";

export type CertificateScheduler = Poller;

export interface CertificateSchedulerOptions {
  certificates: Pick<Certificates, "missingBelow" | "find" | "want" | "request" | "retryAfterRestart">;
  queue: Pick<CertificateQueue, "due">;
  issue: IssueCertificate;
  /** Removes challenge records that no attempt removes any more. */
  removeAbandoned(): Promise<void>;
  /** Custom domains that need a certificate and have no row yet; at most `limit`. */
  missing(limit: number): Promise<string[]>;
  /** The service's own names that need a certificate. */
  own: readonly string[];
  /** The domain of the projects' sites, if it may be in the public DNS. */
  platformDomain?: string | undefined;
  /** The one certificate of the projects' names, if records can be published for it. */
  wildcard?: Wildcard | undefined;
  clock: Clock;
  /** Called when a read or write fails. */
  onError: (error: unknown) => void;
}

/** Names at the same time: a CA takes seconds for each. */
const MAX_CONCURRENT = 16;
/** Names added in one tick. */
const MAX_NEW = 100;

/** Adds names that need a certificate, and orders and renews the certificates that are due. */
export const certificateScheduler = (options: CertificateSchedulerOptions): CertificateScheduler => {
  const { certificates, queue, issue, removeAbandoned, missing } = options;
  const { own, platformDomain, wildcard, clock, onError } = options;
  const missingOwn = async (): Promise<string[]> => {
    const found = await Promise.all(own.map((hostname) => certificates.find(hostname)));
    return own.filter((_, at) => !found[at]);
  };

  /** The settings may name more than the stored wildcard certificate has. */
  const requestMissingNames = async ({ hostname, names }: Wildcard) => {
    const { issued } = (await certificates.find(hostname)) ?? {};
    if (!issued) return;
    const has = new Set((await readCertificate(issued.chain)).names);
    if (names.some((name) => !has.has(name))) await certificates.request(hostname, clock.now());
  };

  const due = async (now: number, limit: number): Promise<Certificate[]> => {
    const newOwn = await missingOwn();
    const names = [...newOwn, ...(await missing(MAX_NEW))];
    if (platformDomain && !wildcard)
      names.push(...(await certificates.missingBelow(platformDomain, MAX_NEW)));
    await certificates.want(names, now);
    // The operator is waiting for them, so they may use the reserve.
    for (const hostname of newOwn) await certificates.request(hostname, now);
    await removeAbandoned();
    return queue.due(now, limit);
  };

  const issuePoller = duePoller({
    due,
    idOf: ({ hostname }) => hostname,
    process: issue,
    maxPerTick: MAX_CONCURRENT,
    maxConcurrent: MAX_CONCURRENT,
    clock,
    onError,
  });
  return {
    ...issuePoller,
    start() {
      // New settings may have solved the last problem.
      certificates.retryAfterRestart(clock.now()).catch(onError);
      if (wildcard) requestMissingNames(wildcard).catch(onError);
      issuePoller.start();
    },
  };
};
