import type { EventName } from "../../../platform/domains/domain.ts";
import {
  type StageEvent,
  type StoredStage,
  FIRST_STAGE,
  isHeld,
  isServed,
  isWaiting,
  nextStage,
  STAGE_EVENTS,
  STORED_STAGES,
  wantsCertificate,
} from "../../../platform/domains/stage.ts";
import { NAME_VERDICTS } from "../../../platform/dns-checks/name-checks/name-check.ts";
import { RESPONSIBLE, type Responsible } from "../../../platform/dns-checks/finding-kind.ts";
import { FINDING_KINDS, FINDINGS, describeFinding, exampleOf } from "../../../platform/dns-checks/finding.ts";
import { PROVIDERS, PROVIDERS_COMPARED, type Provider } from "../../../platform/dns-checks/providers.ts";
import { SITE_HEADERS } from "../../../platform/deploys/rules/header-names.ts";
import { code, codes, table, parts, plain, meanings } from "./markdown.ts";
import faults from "./domain-faults.json" with { type: "json" };

const STAGE_MEANINGS: Readonly<Record<StoredStage, string>> = {
  awaiting_dns: "Its record does not exist yet, or not on all name servers.",
  dns_conflict: "Another record is in its place, or another project has the domain.",
  verified: "Its records are correct, or the DNS proves its owner. It is waiting for its certificate.",
  issuing: "The CA is issuing its certificate.",
  issue_failed: "The last attempt at a certificate failed. The service tries again.",
  live: "Visitors get the site, or a redirect to the primary domain.",
  suspended: "The project's plan is below Pro. The domain returns with the plan.",
};

const STAGE_PROPERTIES: readonly (readonly [words: string, has: (stage: StoredStage) => boolean])[] = [
  ["waits for records", isWaiting],
  ["holds the name", isHeld],
  ["has or gets a certificate", wantsCertificate],
  ["is served", isServed],
];

/** All stages: the meaning and the properties of each. */
export const stagesTable = (): string =>
  table(
    ["stage", "meaning", ...STAGE_PROPERTIES.map(([words]) => words)],
    STORED_STAGES.map((stage) => [
      code(stage),
      STAGE_MEANINGS[stage],
      ...STAGE_PROPERTIES.map(([, has]) => (has(stage) ? "yes" : "")),
    ]),
  );

/** What usually happens, in order. */
const USUAL_EVENTS: readonly StageEvent[] = ["records_right", "order_placed", "certificate_stored"];

/** The usual way of a domain, as text, top to bottom. */
export const usualWay = (): string => {
  let stage: StoredStage = FIRST_STAGE;
  const lines = USUAL_EVENTS.map((event) => {
    stage = nextStage(stage, event) ?? stage;
    return `  | ${event}\n${stage}`;
  });
  return ["```text", FIRST_STAGE, ...lines, "```"].join("\n");
};

/** From which stages an event leads to a stage. */
const transitionRows = (event: StageEvent): string[][] => {
  const moves = STORED_STAGES.flatMap((from) => {
    const to = nextStage(from, event);
    return to === undefined ? [] : [{ from, to }];
  });
  return [...Map.groupBy(moves, ({ to }) => to)].map(([to, group]) => [
    code(event),
    codes(group.map(({ from }) => from)),
    code(to),
  ]);
};

/** All transitions: an event in another stage leaves the stage as it is. */
export const transitionsTable = (): string =>
  table(["event", "in the stage", "leads to"], STAGE_EVENTS.flatMap(transitionRows));

const DOMAIN_EVENTS: Readonly<Record<EventName, string>> = {
  added: "The domain was added.",
  records_right: "A check found correct records.",
  ownership_proven:
    "A check found that the DNS names this project, although the records still point to the old host.",
  records_wrong: "A check found a conflicting record or a wrong value.",
  records_missing: "A check found no record, or the correct record not on all name servers yet.",
  lapsed: "A live domain failed its checks for too long. It is no longer served.",
  served_over_http: "Without HTTPS, a verified domain went live over HTTP.",
  order_placed: "The service ordered a certificate.",
  certificate_stored: "The certificate was issued or imported.",
  issue_refused: "The CA refused the certificate.",
  plan_dropped: "The project's plan fell below Pro.",
  plan_restored: "The project's plan allows custom domains again.",
  yielded: "Another project proved that it owns the name, and holds it now.",
  removed: "The domain was removed.",
  unreachable: "The name servers did not respond, which proves nothing about the domain.",
  domain_taken: "The records were correct, but another project that the DNS also names holds the domain.",
  became_primary: "It became the primary domain of its project.",
  became_served: "It began to show the site.",
  became_redirect: "It began to redirect to the primary domain.",
};

export const domainEventsTable = (): string => meanings(["event", "meaning"], DOMAIN_EVENTS);

/** The verdicts of a check before a domain is added. */
export const verdictTable = (): string => meanings(["verdict", "meaning"], NAME_VERDICTS);

/** The findings of a check, with an example of each message. */
export const findingSections = (): string =>
  parts(
    ...FINDING_KINDS.map((kind) => {
      const { meaning, responsible } = FINDINGS[kind];
      const who = `**Who must act:** ${RESPONSIBLE[responsible]}.`;
      return parts(`## \`${kind}\``, `${meaning} ${who}`, `> ${describeFinding(exampleOf(kind))}`);
    }),
  );

const findingLink = (kind: string): string => `[\`${kind}\`](findings.md#${kind})`;

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
            findings.map(findingLink).join(", "),
            findings.length > 0 ? RESPONSIBLE[responsible as Responsible] : "",
            advice.map(plain).join(" "),
            `${seconds} s`,
          ]),
        ),
      ),
    ),
  );

const serverOf = (end: string | RegExp): string =>
  typeof end === "string" ? code(`*.${end}`) : code(end.source.replaceAll(/\\|\$|\?:/g, ""));

const providerRow = ({
  name,
  nameServers,
  where,
  add,
  nameField,
  valueField,
  apexType,
  apexName,
  needsFinalDot,
}: Provider): string[] => [
  name,
  nameServers.map(serverOf).join(", "),
  add === undefined ? where : `${where}, ${add}`,
  nameField,
  valueField,
  apexType ?? "none",
  apexName === "" ? "empty" : code(apexName),
  needsFinalDot ? "yes" : "no",
];

/** Instructions to create a record at each listed DNS provider. */
export const providersTable = (): string =>
  parts(
    table(
      [
        "provider",
        "name servers",
        "where to click",
        "field for the name",
        "field for the value",
        "record of an apex",
        "name of an apex",
        "value needs a final dot",
      ],
      PROVIDERS.map(providerRow),
    ),
    `Compared on ${PROVIDERS_COMPARED}.`,
  );

const spelled = (name: string): string =>
  name === "nel" ? "NEL" : name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());

export const siteHeadersTable = (): string =>
  table(
    ["purpose", "headers"],
    Object.entries(SITE_HEADERS).map(([purpose, names]) => [purpose, codes(names.map(spelled))]),
  );
