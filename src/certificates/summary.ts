import type { Clock } from "../lib/time.ts";
import { formatTime } from "../lib/time.ts";
import type { Problem } from "../protocols/acme/problem.ts";
import { AT_ONCE, type Certificate, type StoredProblem, hasFailed, isOverdue } from "./certificate.ts";
import type { CertificateQueue } from "./queue.ts";
import type { Certificates } from "./repository.ts";

const statusOf = (certificate: Certificate, now: number, isQueued: boolean) => {
  const { issued, order } = certificate;
  if (issued) return issued.notAfter > now ? "in_use" : "expired";
  if (isOverdue(certificate, now, isQueued)) return "ssl_overdue";
  if (hasFailed(certificate)) return "failing";
  return order ? "ordered" : "wanted";
};

const reasonOf = ({ type, detail, status, subproblems }: Problem) => ({
  type,
  detail,
  ...(status !== undefined && { status }),
  subproblems,
});

const problemOf = ({ cause, ...problem }: StoredProblem) => ({
  ...reasonOf(problem),
  ...(cause && { cause: reasonOf(cause) }),
});

/** A certificate as responses and the command line show it: never its key. Times are RFC 3339. */
export const summaryOf = (certificate: Certificate, now: number, isQueued: boolean) => {
  const { issued, problem, failures, nextAt } = certificate;
  return {
    status: statusOf(certificate, now, isQueued),
    ...(issued && {
      notBefore: formatTime(issued.notBefore),
      notAfter: formatTime(issued.notAfter),
      authority: issued.ca ?? "imported",
    }),
    ...(problem && { problem: problemOf(problem), failures }),
    ...(nextAt !== null && { nextAttemptAt: formatTime(nextAt === AT_ONCE ? now : nextAt) }),
  } as const;
};

/** True if only the queue can delay an attempt. */
const mayWait = ({ issued, attemptSince, nextAt }: Certificate, now: number): boolean =>
  issued === undefined && attemptSince === null && nextAt !== null && nextAt <= now;

/** The certificates of domains. */
export const certificateSummaries = (
  certificates: Pick<Certificates, "find" | "want" | "request">,
  queue: Pick<CertificateQueue, "places" | "refresh">,
  clock: Clock,
) => ({
  /** Undefined if the name is unknown. */
  async find(hostname: string) {
    const now = clock.now();
    const found = await certificates.find(hostname);
    if (!found) return undefined;
    const place = mayWait(found, now) ? (await queue.places()).get(hostname) : undefined;
    const summary = summaryOf(found, now, place !== undefined);
    return { ...summary, ...(place && { queue: place, nextAttemptAt: place.estimatedAt }) };
  },
  /** Requests a certificate, also for a new name; false if a limit makes it wait. */
  async request(hostname: string): Promise<boolean> {
    await certificates.want([hostname], clock.now());
    const isRequested = await certificates.request(hostname, clock.now());
    queue.refresh();
    return isRequested;
  },
});
