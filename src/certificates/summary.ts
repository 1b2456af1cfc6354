import type { Clock } from "../lib/time.ts";
import { formatTime } from "../lib/time.ts";
import { AT_ONCE, type Certificate, isOverdue } from "./certificate.ts";
import type { Certificates } from "./repository.ts";

const statusOf = (certificate: Certificate, now: number) => {
  const { issued, order, problem } = certificate;
  if (issued) return issued.notAfter > now ? "in_use" : "expired";
  if (isOverdue(certificate, now)) return "ssl_overdue";
  if (problem) return "failing";
  return order ? "ordered" : "wanted";
};

const problemOf = ({ type, detail, status, subproblems }: NonNullable<Certificate["problem"]>) => ({
  type,
  detail,
  ...(status !== undefined && { status }),
  subproblems,
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
  request: certificates.request,
});
