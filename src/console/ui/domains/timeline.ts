import { relative } from "../parts/duration.ts";
import { OVERDUE_STEPS } from "./certificate.ts";
import { DNS_DELAY } from "./findings.ts";
import type { Domain, Event, Finding } from "./model.ts";
import { isWaiting } from "./stages.ts";

/** `now`: in progress; `later`: not started; `stuck`: somebody must act. */
export type StepState = "done" | "now" | "later" | "stuck";

/** A step until a domain is live. */
export interface Step {
  name: string;
  state: StepState;
  /** When it was completed. */
  at?: string;
  /** What it waits for. */
  words?: string;
}

type DomainState = Pick<Domain, "stage" | "findings"> & Partial<Domain>;

const WRONG: ReadonlySet<Finding["kind"]> = new Set(["wrong_target", "conflicting_record", "domain_lost"]);
/** Findings that come after the records were right everywhere. */
const LAST: ReadonlySet<Finding["kind"]> = new Set(["ownership_unproven", "domain_taken"]);

const kindsOf = ({ findings }: DomainState): Set<Finding["kind"]> =>
  new Set(findings.map(({ kind }) => kind));

const hasAny = (kinds: ReadonlySet<Finding["kind"]>, ...others: Iterable<Finding["kind"]>[]): boolean =>
  others.some((other) => [...other].some((kind) => kinds.has(kind)));

/** True if one of the zone's own servers responded: if its record were wrong, there would be a finding. */
const hasAuthorityResponded = ({ findings, trace }: DomainState): boolean => {
  const silent = new Set(findings.filter(({ kind }) => kind === "unreachable").map(({ server }) => server));
  return (trace?.nameServers ?? []).some((server) => !silent.has(server));
};

type StepProgress = Pick<Step, "state" | "words" | "at">;

const done = (at?: string): StepProgress => ({ state: "done", ...(at !== undefined && { at }) });

const nextCheckText = ({ nextCheckAt }: DomainState, now: number): string =>
  nextCheckAt === undefined
    ? "It is no longer checked automatically: choose Verify."
    : `The next check is ${relative(Math.max(1, (Date.parse(nextCheckAt) - now) / 1000))}.`;

const atAuthority = (domain: DomainState, now: number): StepProgress => {
  const { checkedAt, verifiedAt } = domain;
  if (!isWaiting(domain)) return done(verifiedAt);
  if (!checkedAt) return { state: "now", words: `Not checked yet. ${nextCheckText(domain, now)}` };
  const kinds = kindsOf(domain);
  if (hasAny(kinds, WRONG)) return { state: "stuck", words: "Another record is in the way: see below." };
  if (kinds.has("no_record")) return { state: "now", words: `Not there yet. ${nextCheckText(domain, now)}` };
  if (kinds.has("not_propagated") || hasAny(kinds, LAST) || hasAuthorityResponded(domain)) return done();
  return {
    state: "now",
    words: `Your provider's name servers did not respond. ${nextCheckText(domain, now)}`,
  };
};

const atResolver = (domain: DomainState, isSeen: boolean, now: number): StepProgress => {
  if (!isWaiting(domain)) return done(domain.verifiedAt);
  const kinds = kindsOf(domain);
  if (hasAny(kinds, LAST)) return done();
  if (!isSeen) return { state: "later" };
  return { state: "now", words: `${DNS_DELAY} ${nextCheckText(domain, now)}` };
};

const LAST_STEPS: Step[] = [
  { name: "Linked to this project", state: "stuck", words: "One more thing is needed: see below." },
];

/** True if the domain will get a certificate, as far as the page can tell: without HTTPS there is none. */
export const isCertified = ({ stage, certificate, liveAt }: DomainState, isSecured: boolean): boolean => {
  if (certificate || stage === "verified" || stage === "issuing" || stage === "issue_failed") return true;
  return isSecured && liveAt === undefined;
};

const timeOf = (history: readonly Event[], event: Event["event"]): string | undefined =>
  history.find((one) => one.event === event)?.at;

const ordered = ({ stage, certificate }: DomainState, history: readonly Event[]): StepProgress => {
  if (certificate?.notAfter || stage === "issuing") return done(timeOf(history, "order_placed"));
  if (stage === "verified") {
    if (certificate?.status === "ssl_overdue") return { state: "stuck", words: OVERDUE_STEPS.join(" ") };
    return certificate?.problem
      ? { state: "stuck", words: "The order failed: see below." }
      : { state: "now", words: "It will be ordered in a moment." };
  }
  return stage === "issue_failed" ? done(timeOf(history, "order_placed")) : { state: "later" };
};

const issued = ({ stage, certificate }: DomainState, history: readonly Event[]): StepProgress => {
  if (certificate?.status === "expired")
    return { state: "stuck", words: "It has expired and could not be renewed: see below." };
  if (certificate?.notAfter) return done(timeOf(history, "certificate_stored"));
  if (certificate?.status === "ssl_overdue")
    return { state: "stuck", words: "No certificate after 30 minutes: see below." };
  if (stage === "issue_failed") return { state: "stuck", words: "The last attempt failed: see below." };
  if (stage === "issuing") return { state: "now", words: "Usually within a few minutes." };
  return { state: "later" };
};

const live = ({ stage, liveAt, failingSince, findings }: DomainState): StepProgress => {
  if (stage === "suspended")
    return { state: "stuck", words: "The project's plan has no custom domains. Change it to Pro or above." };
  if (stage !== "live") return { state: "later" };
  return failingSince && findings.length > 0
    ? { state: "stuck", words: "Its records are no longer right: see below." }
    : done(liveAt);
};

/**
 * The steps until a domain is live.
 * @param history newest first
 * @param isSecured true if the platform's own addresses use HTTPS
 * @param now milliseconds
 */
export const timelineOf = (
  domain: DomainState,
  history: readonly Event[],
  isSecured: boolean,
  now: number,
): Step[] => {
  const authority = atAuthority(domain, now);
  const resolver = atResolver(domain, authority.state === "done", now);
  const needsMore = isWaiting(domain) && hasAny(kindsOf(domain), LAST);
  return [
    { name: "Record seen at your DNS provider", ...authority },
    { name: "Record seen by everyone else", ...resolver },
    ...(needsMore ? LAST_STEPS : []),
    ...(isCertified(domain, isSecured)
      ? [
          { name: "Certificate ordered", ...ordered(domain, history) },
          { name: "Certificate issued", ...issued(domain, history) },
        ]
      : []),
    { name: "Live", ...live(domain) },
  ];
};
