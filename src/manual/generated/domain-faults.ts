import faults from "./domain-faults.json" with { type: "json" };
import { RESPONSIBLE, type Responsible } from "../../dns-checks/finding.ts";
import { parts, plain, table } from "./markdown.ts";

const link = (kind: string): string => `[\`${kind}\`](findings.md#${kind})`;

/** The faults that a test creates, the findings about each, and the seconds from the repair until the domain is live. */
export const domainFaultTables = (): string =>
  parts(
    ...faults.map(({ title, faults: rows }) =>
      parts(
        `## ${title}`,
        table(
          ["fault", "reported by users of", "finding", "who must act", "what to do", "live after"],
          rows.map(({ fault, reported, findings, responsible, advice, seconds }) => [
            plain(fault),
            reported.join(", "),
            findings.map(link).join(", "),
            findings.length > 0 ? RESPONSIBLE[responsible as Responsible] : "",
            advice.map(plain).join(" "),
            `${seconds} s`,
          ]),
        ),
      ),
    ),
  );
