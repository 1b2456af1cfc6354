import type { Tone } from "../parts/tone.ts";
import type { Domain, Stage } from "./model.ts";

/** Each stage in a word or two, and how urgent it is. */
export const STAGES: Record<Stage, { words: string; tone: Tone }> = {
  awaiting_dns: { words: "waiting for DNS", tone: "waiting" },
  dns_conflict: { words: "DNS conflict", tone: "bad" },
  verified: { words: "verified", tone: "waiting" },
  issuing: { words: "getting a certificate", tone: "waiting" },
  issue_failed: { words: "no certificate yet", tone: "bad" },
  live: { words: "live", tone: "good" },
  suspended: { words: "suspended", tone: "bad" },
};

const WAITING: ReadonlySet<Stage> = new Set(["awaiting_dns", "dns_conflict"]);

/** True while its records are waited for. */
export const isWaiting = ({ stage }: Pick<Domain, "stage">): boolean => WAITING.has(stage);

const SECOND_MS = 1000;
const QUICK_MS = 2 * SECOND_MS;
const STEADY_MS = 5 * SECOND_MS;
const SLOW_MS = 60 * SECOND_MS;

const EVERY: Record<Stage, number> = {
  awaiting_dns: STEADY_MS,
  dns_conflict: STEADY_MS,
  verified: QUICK_MS,
  issuing: QUICK_MS,
  issue_failed: STEADY_MS,
  live: SLOW_MS,
  suspended: SLOW_MS,
};

/** Milliseconds until a domain is looked at again: often while something is under way. */
export const refetchDelay = (domain: Pick<Domain, "stage" | "nextCheckAt"> | undefined): number => {
  if (!domain) return STEADY_MS;
  // After 48 hours nothing is done by itself.
  return isWaiting(domain) && !domain.nextCheckAt ? SLOW_MS : EVERY[domain.stage];
};

/** The same of a list: as often as its most lively one. */
export const listRefetchDelay = (domains: readonly Pick<Domain, "stage" | "nextCheckAt">[]): number =>
  Math.max(STEADY_MS, Math.min(SLOW_MS, ...domains.map(refetchDelay)));

/** What the button that asks the DNS is called: in the specification's words. */
export const verifyLabel = ({ verifiedAt }: Pick<Domain, "verifiedAt">): "Verify" | "Re-verify" =>
  verifiedAt === undefined ? "Verify" : "Re-verify";
