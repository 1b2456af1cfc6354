import { relative } from "../parts/duration.ts";
import { OVERDUE_STEPS } from "./certificate.ts";
import { DNS_DELAY } from "./findings.ts";
import type { Domain, Event, Finding } from "./model.ts";
import { isWaiting } from "./stages.ts";

/** `now`: what is waited for; `later`: its turn has not come; `stuck`: somebody must do something. */
export type StepState = "done" | "now" | "later" | "stuck";

/** A step on a domain's way to live. */
export interface Step {
  name: string;
  state: StepState;
  /** When it was done. */
  at?: string;
  /** What is waited for. */
  words?: string;
}

type Known = Pick<Domain, "stage" | "findings"> & Partial<Domain>;

const WRONG: ReadonlySet<Finding["kind"]> = new Set(["wrong_target", "conflicting_record", "domain_lost"]);
/** Found after the records were found right everywhere. */
const LAST: ReadonlySet<Finding["kind"]> = new Set(["ownership_unproven", "domain_taken"]);

const kindsOf = ({ findings }: Known): Set<Finding["kind"]> => new Set(findings.map(({ kind }) => kind));

const hasAny = (kinds: ReadonlySet<Finding["kind"]>, ...others: Iterable<Finding["kind"]>[]): boolean =>
  others.some((other) => [...other].some((kind) => kinds.has(kind)));

/** True if one of the zone's own servers answered: were it wrong, there would be a finding of it. */
const hasAuthorityAnswered = ({ findings, trace }: Known): boolean => {
  const silent = new Set(findings.filter(({ kind }) => kind === "unreachable").map(({ server }) => server));
  return (trace?.nameServers ?? []).some((server) => !silent.has(server));
};

type StepProgress = Pick<Step, "state" | "words" | "at">;

const done = (at?: string): StepProgress => ({ state: "done", ...(at !== undefined && { at }) });

const nextCheckText = ({ nextCheckAt }: Known, now: number): string =>
  nextCheckAt === undefined
    ? "It is looked for on request only now: choose Verify."
    : `The next look is ${relative(Math.max(1, (Date.parse(nextCheckAt) - now) / 1000))}.`;

const atAuthority = (domain: Known, now: number): StepProgress => {
  const { checkedAt, verifiedAt } = domain;
  if (!isWaiting(domain)) return done(verifiedAt);
  if (!checkedAt) return { state: "now", words: `Not looked for yet. ${nextCheckText(domain, now)}` };
  const kinds = kindsOf(domain);
  if (hasAny(kinds, WRONG)) return { state: "stuck", words: "Another record is there: see below." };
  if (kinds.has("no_record")) return { state: "now", words: `Not there yet. ${nextCheckText(domain, now)}` };
  if (kinds.has("not_propagated") || hasAny(kinds, LAST) || hasAuthorityAnswered(domain)) return done();
  return {
    state: "now",
    words: `Your provider's name servers did not answer. ${nextCheckText(domain, now)}`,
  };
};

const atResolver = (domain: Known, isSeen: boolean, now: number): StepProgress => {
  if (!isWaiting(domain)) return done(domain.verifiedAt);
  const kinds = kindsOf(domain);
  if (hasAny(kinds, LAST)) return done();
  if (!isSeen) return { state: "later" };
  return { state: "now", words: `${DNS_DELAY} ${nextCheckText(domain, now)}` };
};

const LAST_STEPS: Step[] = [
  { name: "Shown to be this project's", state: "stuck", words: "One more thing is needed: see below." },
];

/** True if the domain is to have a certificate, as far as can be told: where HTTPS is off there never is one. */
export const isCertified = ({ stage, certificate, liveAt }: Known, isSecured: boolean): boolean => {
  if (certificate || stage === "verified" || stage === "issuing" || stage === "issue_failed") return true;
  return isSecured && liveAt === undefined;
};

const timeOf = (history: readonly Event[], event: Event["event"]): string | undefined =>
  history.find((one) => one.event === event)?.at;

const ordered = ({ stage, certificate }: Known, history: readonly Event[]): StepProgress => {
  if (certificate?.notAfter || stage === "issuing") return done(timeOf(history, "order_placed"));
  if (stage === "verified") {
    if (certificate?.status === "ssl_overdue") return { state: "stuck", words: OVERDUE_STEPS.join(" ") };
    return certificate?.problem
      ? { state: "stuck", words: "It could not be ordered: see below." }
      : { state: "now", words: "It is ordered in a moment." };
  }
  return stage === "issue_failed" ? done(timeOf(history, "order_placed")) : { state: "later" };
};

const issued = ({ stage, certificate }: Known, history: readonly Event[]): StepProgress => {
  if (certificate?.status === "expired")
    return { state: "stuck", words: "It has ended, and could not be renewed: see below." };
  if (certificate?.notAfter) return done(timeOf(history, "certificate_stored"));
  if (certificate?.status === "ssl_overdue")
    return { state: "stuck", words: "There is none after 30 minutes: see below." };
  if (stage === "issue_failed") return { state: "stuck", words: "The last attempt failed: see below." };
  if (stage === "issuing") return { state: "now", words: "Usually within a couple of minutes." };
  return { state: "later" };
};

const live = ({ stage, liveAt, failingSince, findings }: Known): StepProgress => {
  if (stage === "suspended")
    return { state: "stuck", words: "The project's plan has no custom domains: it needs Pro or above." };
  if (stage !== "live") return { state: "later" };
  return failingSince && findings.length > 0
    ? { state: "stuck", words: "Its records are no longer right: see below." }
    : done(liveAt);
};

/**
 * A domain's way to live, step by step.
 * @param history newest first
 * @param isSecured whether the platform's own addresses are HTTPS ones
 * @param now milliseconds
 */
export const timelineOf = (
  domain: Known,
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
