import type { DomainFinding, Finding, FindingOf } from "./finding.ts";
import type { Inspection } from "./inspect.ts";
import { DAY_MS, formatTime } from "../lib/time.ts";

type Silence = FindingOf<"unreachable">;
type Seen = Pick<Inspection, "findings" | "report">;

/** The last check, if there was one. */
interface LastCheck {
  findings: readonly DomainFinding[];
  checkedAt: number | null;
}

/** Undefined if the last check did not see the silence. The first check that sees it stores no time, so its own time counts. */
const sinceOf = ({ server, name }: Silence, { findings, checkedAt }: LastCheck): string | undefined => {
  const isSame = (one: DomainFinding): one is Silence =>
    one.kind === "unreachable" && one.server === server && one.name === name;
  const earlier = findings.find(isSame);
  if (!earlier || checkedAt === null) return undefined;
  return earlier.since ?? formatTime(checkedAt);
};

/** Who must act if the other servers do not show it. */
const repairerOf = ({ server }: Silence, { report }: Seen) =>
  report.nameServers.includes(server) ? "dns_provider" : "operator";

/** Adds the start of each server's silence to the findings, and who must act, at the latest after a day. */
export const withSilences = (seen: Seen, last: LastCheck, now: number): Finding[] =>
  seen.findings.map((finding) => {
    if (finding.kind !== "unreachable") return finding;
    const since = sinceOf(finding, last);
    if (since === undefined) return finding;
    const isOverdue = now - Date.parse(since) >= DAY_MS;
    return {
      ...finding,
      since,
      ...(isOverdue && { responsible: finding.responsible ?? repairerOf(finding, seen) }),
    };
  });
