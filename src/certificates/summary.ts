import type { Clock } from "../lib/time.ts";
import { formatTime } from "../lib/time.ts";
import type { Problem } from "../protocols/acme/problem.ts";
import { AT_ONCE, type Certificate, type StoredProblem, isOverdue } from "./certificate.ts";
import type { Certificates } from "./repository.ts";

const statusOf = (certificate: Certificate, now: number) => {
  const { issued, order, problem } = certificate;
  if (issued) return issued.notAfter > now ? "in_use" : "expired";
  if (isOverdue(certificate, now)) return "ssl_overdue";
  if (problem) return "failing";
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
export const summaryOf = (certificate: Certificate, now: number) => {
  const { issued, problem, failures, nextAt } = certificate;
  return {
    status: statusOf(certificate, now),
    ...(issued && {
      notBefore: formatTime(issued.notBefore),
      notAfter: formatTime(issued.notAfter),
      authority: issued.ca ?? "imported",
    }),
    ...(problem && { problem: problemOf(problem), failures }),
    ...(nextAt !== null && { nextAttemptAt: formatTime(nextAt === AT_ONCE ? now : nextAt) }),
  } as const;
};

/** The certificates of domains. */
export const certificateSummaries = (certificates: Pick<Certificates, "find" | "request">, clock: Clock) => ({
  /** Undefined if the name is unknown. */
  async find(hostname: string) {
    const found = await certificates.find(hostname);
    return found && summaryOf(found, clock.now());
  },
  /** Requests a certificate; false if the name is unknown or a limit makes it wait. */
  request: (hostname: string) => certificates.request(hostname, clock.now()),
});
