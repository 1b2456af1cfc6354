import { quantity } from "../../lib/quantity.ts";
import { sentence } from "../../lib/text.ts";
import { type Clock, formatTime } from "../../lib/time.ts";
import type { Problem } from "../../protocols/acme/problem.ts";
import {
  type Certificate,
  type StoredProblem,
  DUE_FIRST,
  endsSoon,
  hasFailed,
  isOverdue,
} from "./certificate.ts";
import type { CertificateQueue, Places } from "./queue.ts";
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
    ...(nextAt !== null && { nextAttemptAt: formatTime(nextAt === DUE_FIRST ? now : nextAt) }),
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

/** Advice for each type of problem: RFC 8555's (section 6.7) and ours. */
export const ADVICE: Readonly<Record<string, string>> = {
  budget: "Wait: nothing else is needed.",
  caa: "Change the domain's CAA records so that they allow the CA.",
  challenge_not_published: "Correct DNS_CHALLENGE_HOOK, or DNS_UPDATE_SERVER and its key.",
  challenge_not_visible: "Check the name servers of the zone: all of them must have the record.",
  challenge_unreachable: "Forward port 80 of the name to HTTP_PORT, or port 443 to HTTPS_PORT.",
  connection:
    "The CA could not reach the name. Forward its port 80 to HTTP_PORT and its port 443 to HTTPS_PORT. Attempts alternate between them.",
  dns: "The CA could not resolve the name: look at the domain's records.",
  externalAccountRequired: "Set ACME_EAB_KID and ACME_EAB_HMAC to what the CA gave you.",
  invalidProfile: "Set ACME_PROFILE to a profile that the CA offers for these names, or unset it.",
  import_only: "Import its next one: adoption-store certificates import.",
  no_authority: "Set ACME_AGREE_TOS to true if you agree to the CA's terms of service.",
  not_held: "Verify the domain in the project that is to have it.",
  platform_unready:
    "Correct the wildcard records, the CAA records and the forwarded ports of this service first.",
  rateLimited: "Wait: nothing else is needed.",
  records: "Correct the domain's records, then verify it again.",
  records_unknown: "Wait. If many names have this problem, check DNS_RESOLVERS and this machine's network.",
  unknown_profile: "Set ACME_PROFILE to a profile that the CA offers, or unset it.",
  unreachable:
    "The CA cannot be reached. Check this machine's DNS and network, ACME_DIRECTORY and ACME_CA_FILE.",
  unauthorized:
    "If the CA reached another server, forward port 80 of the name to HTTP_PORT. If it found no TXT record, check the name servers of the zone.",
};

/** Says since when an attempt is under way, and with which CA; undefined if none is. */
export const describeAttempt = (certificate: Certificate): string | undefined => {
  const { attemptSince: since, order } = certificate;
  if (since === null) return undefined;
  const what = order ? `an order is under way with ${order.ca}` : "its order is prepared";
  return `${what} since ${formatTime(since)}`;
};

/** The service's next step, as a sentence to append; "" if it takes none. */
const describeNextAttempt = (certificate: Certificate, now: number): string => {
  const attempt = describeAttempt(certificate);
  if (attempt !== undefined) return ` Now ${attempt}.`;
  const { nextAt } = certificate;
  return nextAt === null ? "" : ` The next attempt is at ${formatTime(Math.max(nextAt, now))}.`;
};

const describeProblem = ({ type, detail }: Problem): string =>
  `${sentence(detail)} ${ADVICE[type] ?? ""}`.trimEnd();

/** A wait for a limit, with the refusal that still needs a correction. */
const describeStored = ({ cause, ...problem }: StoredProblem): string =>
  cause
    ? `${sentence(problem.detail)} The CA's last refusal: ${describeProblem(cause)}`
    : describeProblem(problem);

/** The problem with a name's certificate, and the remedy; undefined without a problem. */
export const explain = (certificate: Certificate, now: number, isQueued: boolean): string | undefined => {
  const { hostname, issued, problem } = certificate;
  const isLate = issued ? problem && endsSoon(issued, now) : isOverdue(certificate, now, isQueued);
  if (!isLate && !hasFailed(certificate)) return undefined;
  const state = issued
    ? `its certificate ends ${formatTime(issued.notAfter)} and could not be renewed`
    : `it has no certificate${isLate ? " after 30 minutes" : ""}`;
  return problem
    ? `${hostname}: ${state}. ${describeStored(problem)}${describeNextAttempt(certificate, now)}`
    : `${hostname}: ${state}; ${describeAttempt(certificate) ?? "adoption-store domains show or the server's log has the reason"}.`;
};

const MAX_EXPLAINED = 10;

/** Explains at most ten names, and counts the others. @param places the queue */
export const explanations = (all: readonly Certificate[], now: number, places: Places): string[] => {
  const found = all.flatMap((one) => explain(one, now, places.has(one.hostname)) ?? []);
  const more = found.splice(MAX_EXPLAINED).length;
  return more === 0
    ? found
    : [...found, `And ${quantity(more, "more name")}: see adoption-store certificates list.`];
};
