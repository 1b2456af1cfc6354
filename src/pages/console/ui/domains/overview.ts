import { addressOf } from "../parts/address.ts";
import { adviceOf } from "./advice.ts";
import type { Domain, Stage } from "./model.ts";
import { ACTIONS } from "./words.ts";

// The stages, the filter and the next steps of the page of all domains.

/** The stage of a domain, for the list of all projects. */
export const STAGES: Record<Stage, string> = {
  awaiting_dns: "Waiting for its DNS records",
  dns_conflict: "Another DNS record is in the way",
  verified: "Verified, waiting for its certificate",
  issuing: "Certificate ordered",
  issue_failed: "Certificate refused",
  live: "Live",
  suspended: "Suspended",
};

/** The domains to show: those that match every field. */
export interface Filter {
  /** Part of the name. */
  q?: string;
  stage?: Stage;
}

/** Reads the filter from an address. Malformed fields are left out. */
export const filterOf = ({ q = "", stage = "" }: Record<string, string | undefined>): Filter => ({
  ...(q.trim() !== "" && { q: q.trim() }),
  ...(Object.hasOwn(STAGES, stage) && { stage: stage as Stage }),
});

/** The address of the list, or of the dialog above it. */
export const allDomainsPath = (
  { q, stage }: { q?: string; stage?: string } = {},
  ...parts: string[]
): string =>
  addressOf(["/console/domains", ...parts].join("/"), { q: q || undefined, stage: stage || undefined });

/** For stages without advice. */
const NEXT: Partial<Record<Stage, string>> = {
  live: "Nothing",
  issue_failed: "Open it and choose Re-verify",
};
const WAIT = "Wait. The certificate is issued automatically.";

/** The next step for a domain, for a list. @param now milliseconds */
export const nextStep = (domain: Domain, now: number): { title: string; details?: string } => {
  const [advice] = adviceOf(domain, now);
  if (!advice) return { title: NEXT[domain.stage] ?? WAIT };
  const { title, text, changes } = advice;
  const records = changes.map(({ action, type, name }) => `${ACTIONS[action]} ${type} ${name}.`).join(" ");
  return { title, details: records || text.replace(/(?<=\.) .*/, "") };
};
