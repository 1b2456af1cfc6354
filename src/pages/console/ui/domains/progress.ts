import type { Tone } from "../parts/wording.ts";
import { adviceOf } from "./advice.ts";
import { ACTIONS, type Domain, type Event, type Finding, STATUS, type Stage, isWaiting } from "./model.ts";
import { addressOf } from "../parts/address.ts";

type DomainState = Pick<Domain, "hostname" | "record" | "stage" | "findings"> & Partial<Domain>;

const has = ({ findings }: DomainState, ...kinds: Finding["kind"][]): boolean =>
  findings.some(({ kind }) => kinds.includes(kind));

/** True if the domain does not become active, or does not stay active, without action by the user. */
const isStuck = (domain: DomainState, now: number): boolean => {
  const { stage, nextCheckAt } = domain;
  if (stage === "suspended") return true;
  // After 48 hours, nothing happens without a request.
  if (isWaiting(domain) && nextCheckAt === undefined) return true;
  const advice = adviceOf(domain, now);
  return advice.some(({ tone }) => tone === "bad") || (stage === "issue_failed" && advice.length === 0);
};

/** A domain's status, for its badge. @param now milliseconds */
export const statusOf = (domain: DomainState, now: number): keyof typeof STATUS => {
  if (isStuck(domain, now)) return "action_needed";
  if (domain.stage === "live") return "active";
  const isMissing = domain.checkedAt === undefined || has(domain, "no_record");
  return isMissing && isWaiting(domain) ? "not_yet" : "checking";
};

export const STATUS_TONES: Record<keyof typeof STATUS, Tone> = {
  active: "good",
  checking: "waiting",
  not_yet: "waiting",
  action_needed: "bad",
};

/** `now`: in progress; `later`: not started; `stuck`: requires an action; `suspended`: the plan must change. */
type StepState = "done" | "now" | "later" | "stuck" | "suspended";

export interface Step {
  name: string;
  state: StepState;
  /** Its completion. */
  at?: string;
}

/** A step without its state: that follows from the steps before it. */
interface Progress {
  name: string;
  isDone: boolean;
  at?: string | undefined;
}

/** The DNS steps, until the records at the zone's own servers are right and identify the project. */
const dnsSteps = (domain: DomainState): Progress[] => {
  const isVerified = !isWaiting(domain);
  // These findings come after the records were right.
  const isUnlinked = has(domain, "ownership_unproven", "domain_taken");
  const at = isVerified ? domain.verifiedAt : undefined;
  if (has(domain, "not_moved")) return [{ name: "Ownership proven, still at the old host", isDone: true }];
  return [
    { name: "Record seen at your DNS provider", isDone: isVerified || isUnlinked, at },
    ...(!isVerified && isUnlinked ? [{ name: "Linked to this project", isDone: false }] : []),
  ];
};

/** True if the domain will get a certificate, as far as the page can tell: without HTTPS it gets none. */
export const isCertified = (
  { stage, certificate, liveAt }: Pick<Domain, "stage"> & Partial<Domain>,
  isSecured: boolean,
): boolean =>
  certificate !== undefined ||
  ["verified", "issuing", "issue_failed"].includes(stage) ||
  (isSecured && liveAt === undefined);

const certificateSteps = (
  { stage, certificate }: DomainState,
  history: readonly Pick<Event, "event" | "at">[],
): Progress[] => {
  const timeOf = (event: Event["event"]) => history.find((one) => one.event === event)?.at;
  const hasOne = certificate?.notAfter !== undefined;
  const isOrdered = hasOne || stage === "issuing" || stage === "issue_failed";
  return [
    { name: "Certificate ordered", isDone: isOrdered, at: timeOf("order_placed") },
    {
      name: "Certificate issued",
      isDone: hasOne && certificate?.status !== "expired",
      at: timeOf("certificate_stored"),
    },
  ];
};

const doneStep = ({ name, at }: Progress): Step => ({
  name,
  state: "done",
  ...(at !== undefined && { at }),
});

/**
 * The steps until a domain is active. The first that is not done is in progress, or waits for the user.
 * @param history newest first
 * @param isSecured true if the platform's own addresses use HTTPS
 * @param now milliseconds
 */
export const stepsOf = (
  domain: DomainState,
  history: readonly Pick<Event, "event" | "at">[],
  isSecured: boolean,
  now: number,
): Step[] => {
  const stuck = isStuck(domain, now);
  const steps: Progress[] = [
    ...dnsSteps(domain),
    ...(isCertified(domain, isSecured) ? certificateSteps(domain, history) : []),
    { name: "Live", isDone: domain.stage === "live" && !stuck, at: domain.liveAt },
  ];
  // Only the plan is missing. Unfinished steps of the certificate would mislead.
  if (domain.stage === "suspended")
    return [...steps.filter(({ isDone }) => isDone).map(doneStep), { name: "Live", state: "suspended" }];
  const first = steps.findIndex(({ isDone }) => !isDone);
  const current = first === -1 ? steps.length : first;
  return steps.map((step, index) => {
    if (index < current) return doneStep(step);
    return { name: step.name, state: index > current ? "later" : stuck ? "stuck" : "now" };
  });
};

// The stages, the filter and the next steps of the page of all domains.

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
): string => addressOf(["/console/domains", ...parts].join("/"), { q, stage });

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
