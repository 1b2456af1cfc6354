import type { certificates } from "../../data/db/schema/certificates.ts";
import type { Warning } from "../../http/health.ts";
import { formatTime } from "../../lib/time.ts";
import type { Problem } from "../../protocols/acme/problem.ts";

/** A certificate with its private key, both PEM; the chain leaf first. */
export interface KeyPair {
  key: string;
  chain: string;
}

/** The certificate that a host name uses. Times are milliseconds UTC. */
export interface Issued extends KeyPair {
  /** The directory of the CA that issued it; null: imported. */
  ca: string | null;
  notBefore: number;
  notAfter: number;
  /** Its identifier in the CA's renewal information (RFC 9773 section 4.1). */
  ariId: string | null;
}

/** An order under way. */
export interface PendingOrder {
  ca: string;
  /** null before it is placed. */
  url: string | null;
  /** The private key that the certificate will be for, PEM. */
  key: string;
}

/** Why the last attempt failed, as stored. Its `method` is the last one that failed, even in an earlier attempt. */
export interface StoredProblem extends Problem {
  /** A CA's last refusal, while the name only waits for a limit. */
  cause?: Problem;
}

type Row = typeof certificates.$inferSelect;

/** A host name that needs a certificate, and its progress. */
export interface Certificate
  extends
    Pick<Row, "hostname" | "createdAt" | "nextAt" | "isRequested" | "attemptSince" | "revision" | "failures">,
    Pick<Row, "keyAuthorization"> {
  /** Why the last attempt failed. */
  problem: StoredProblem | undefined;
  issued: Issued | undefined;
  order: PendingOrder | undefined;
}

/** When a certificate in use is valid. */
export type Expiry = Pick<Issued, "notBefore" | "notAfter"> & { hostname: string };

const SOON_MS = 7 * 24 * 60 * 60_000;
/** Of the lifetime. Renewal begins with a third left, or half of a short one, so a warning means that renewals fail. */
const SOON_SHARE = 1 / 4;
const MAX_NAMED = 10;

export const endsSoon = ({ notBefore, notAfter }: Omit<Expiry, "hostname">, now: number): boolean =>
  notAfter - now < Math.min(SOON_MS, (notAfter - notBefore) * SOON_SHARE);

/** Warns about certificates that expire soon. @param expiries ascending */
export const expiryWarnings = (expiries: readonly Expiry[], now: number): Warning[] => {
  const expiring = expiries.filter((one) => endsSoon(one, now));
  if (expiring.length === 0) return [];
  const names = expiring
    .slice(0, MAX_NAMED)
    .map(({ hostname, notAfter }) => `${hostname} (${formatTime(notAfter)})`);
  const more = expiring.length > MAX_NAMED ? ` and ${expiring.length - MAX_NAMED} more` : "";
  const message = `Certificates end soon: ${names.join(", ")}${more}; see "adoption-store certificates list".`;
  return [{ code: "certificates_end_soon", count: expiring.length, message }];
};

/** A `nextAt` before all others: requested certificates and interrupted attempts go first. */
export const DUE_FIRST = 0;

/** After this long without a certificate a name is overdue. */
export const OVERDUE_MS = 30 * 60_000;

/** Problem type: the service places no order, because one more would exceed a limit in `ACME_LIMITS`. */
export const BUDGET = "budget";
/** Problem type: the CA has not decided about the order yet. */
export const UNDECIDED = "undecided";

type Problematic = Pick<Certificate, "problem">;

/** True for a name that only waits for the service's budget of orders. A CA's own `rateLimited` is a failure. */
const awaitsBudget = ({ problem }: Problematic): boolean =>
  problem?.type === BUDGET && problem.cause === undefined;

/** Also false for a name that only waits for the budget of orders, or for a CA's decision. */
export const hasFailed = ({ problem }: Problematic): boolean =>
  problem !== undefined && problem.type !== UNDECIDED && !awaitsBudget({ problem });

/** True if a name has waited too long for its first certificate. The notice `certificate_overdue` has this rule in SQL. */
export const isOverdue = (certificate: Certificate, now: number, isQueued: boolean): boolean => {
  const { issued, createdAt, attemptSince, problem } = certificate;
  if (issued || (problem ? awaitsBudget(certificate) : isQueued)) return false;
  // Before its first attempt a name may have been in the queue for hours.
  return now - ((!problem && attemptSince) || createdAt) >= OVERDUE_MS;
};
