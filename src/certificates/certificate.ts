import type { Warning } from "../http/health.ts";
import { formatTime } from "../lib/time.ts";
import type { Problem } from "../protocols/acme/problem.ts";

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
  /** Its name at the CA's renewal information (RFC 9773 section 4.1). */
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

/** A host name that is to have a certificate, and how far it is. */
export interface Certificate {
  hostname: string;
  createdAt: number;
  /** When something is to be done; null: when somebody asks. */
  nextAt: number | null;
  /** True from when somebody asks for a certificate until an attempt begins. */
  isRequested: boolean;
  /** Since when an attempt is under way. */
  attemptSince: number | null;
  /** Of its row: whoever writes what holds only for what they read names it. */
  revision: number;
  /** Failed attempts since the last that worked. */
  failures: number;
  /** Why the last attempt failed. */
  problem: Problem | undefined;
  issued: Issued | undefined;
  order: PendingOrder | undefined;
}

const SOON_MS = 7 * 24 * 60 * 60_000;
const MAX_NAMED = 10;

/** Warns of certificates that end soon. @param expiries ascending */
export const expiryWarnings = (
  expiries: readonly { hostname: string; notAfter: number }[],
  now: number,
): Warning[] => {
  const ending = expiries.filter(({ notAfter }) => notAfter - now < SOON_MS);
  if (ending.length === 0) return [];
  const named = ending
    .slice(0, MAX_NAMED)
    .map(({ hostname, notAfter }) => `${hostname} (${formatTime(notAfter)})`);
  const more = ending.length > MAX_NAMED ? ` and ${ending.length - MAX_NAMED} more` : "";
  const message = `Certificates end soon: ${named.join(", ")}${more}; see "adoption-store certificates list".`;
  return [{ code: "certificates_end_soon", count: ending.length, message }];
};

/** A `nextAt` before all others: what somebody asks for, and attempts that were cut off, do not wait for their turn. */
export const AT_ONCE = 0;

/** A host name waits for its certificate no longer than this without a sign that something is wrong. */
export const OVERDUE_MS = 30 * 60_000;

/** True if a name has waited for its first certificate for too long. */
export const isOverdue = ({ issued, createdAt }: Certificate, now: number): boolean =>
  issued === undefined && now - createdAt >= OVERDUE_MS;
