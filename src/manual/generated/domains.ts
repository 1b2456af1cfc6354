import { EVENTS, type EventName } from "../../domains/domain.ts";
import {
  FIRST_STAGE,
  STAGE_EVENTS,
  STORED_STAGES,
  type StageEvent,
  type StoredStage,
  isHeld,
  isServed,
  isWaiting,
  nextStage,
  wantsCertificate,
} from "../../domains/stage.ts";
import { NAME_VERDICTS } from "../../name-checks/name-check.ts";
import { FINDINGS, describeFinding } from "../../dns-checks/finding-kinds.ts";
import { type DomainFinding, RESPONSIBLE, type Responsible } from "../../dns-checks/finding.ts";
import { PROVIDERS, PROVIDERS_COMPARED, type Provider } from "../../dns-checks/providers.ts";
import { SITE_HEADERS } from "../../deploys/rules/header-names.ts";
import { code, codes, table, parts, plain } from "./markdown.ts";
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

/** The events in the history of a domain. */
export const domainEventsTable = (): string =>
  table(
    ["event", "meaning"],
    EVENTS.map((event) => [code(event), DOMAIN_EVENTS[event]]),
  );

/** The verdicts of a check before a domain is added. */
export const verdictTable = (): string =>
  table(
    ["verdict", "meaning"],
    Object.entries(NAME_VERDICTS).map(([verdict, meaning]) => [code(verdict), meaning]),
  );

const name = "docs.example.org";
const target = "k3vqx2m7.cname.sites.example.org";

const EXAMPLES: { readonly [Name in DomainFinding["kind"]]: DomainFinding & { kind: Name } } = {
  not_moved: { kind: "not_moved", name, type: "CNAME", found: ["old.example.net"], expected: [target] },
  no_record: { kind: "no_record", name, type: "CNAME", expected: [target] },
  wrong_target: { kind: "wrong_target", name, type: "CNAME", found: ["old.example.net"], expected: [target] },
  conflicting_record: {
    kind: "conflicting_record",
    name,
    type: "A",
    found: ["192.0.2.7"],
    expected: [target],
  },
  delegated_away: { kind: "delegated_away", name, zone: name, found: ["ns1.old.example.net"] },
  https_record: { kind: "https_record", name: "example.org", found: ["1 . alpn=h2 ipv4hint=192.0.2.7"] },
  apex_cname: { kind: "apex_cname", name: "example.org", expected: [target] },
  doubled_name: {
    kind: "doubled_name",
    name,
    type: "CNAME",
    found: [`${name}.example.org`],
    expected: [target],
  },
  caa_forbids: {
    kind: "caa_forbids",
    name: "example.org",
    found: ['0 issue "other.example"'],
    expected: ["letsencrypt.org"],
  },
  caa_unanswered: { kind: "caa_unanswered", name, server: "192.0.2.1", reason: "NOTIMP" },
  not_propagated: { kind: "not_propagated", name, server: "192.0.2.53", seconds: 3600 },
  ownership_unproven: {
    kind: "ownership_unproven",
    name: "_adoption-store.example.org",
    type: "TXT",
    found: [],
    expected: [target],
  },
  unreachable: {
    kind: "unreachable",
    name,
    server: "192.0.2.53",
    reason: "timeout",
    since: "2026-11-20T09:30:00.000Z",
    responsible: "dns_provider",
  },
  proxied: {
    kind: "proxied",
    name,
    found: ["104.16.0.7"],
    expected: [target],
    provider: "Cloudflare",
    reachesService: true,
  },
  wildcard_record: {
    kind: "wildcard_record",
    name,
    type: "A",
    found: ["192.0.2.7"],
    expected: [target],
  },
  stray_address: {
    kind: "stray_address",
    name: "example.org",
    type: "AAAA",
    found: ["2001:db8::7"],
    expected: ["203.0.113.10"],
  },
  addresses_changed: {
    kind: "addresses_changed",
    name: "example.org",
    found: ["203.0.113.9"],
    expected: ["203.0.113.10"],
  },
  mixed_answers: { kind: "mixed_answers", name, server: "192.0.2.54", found: [], expected: [target] },
  lame_delegation: {
    kind: "lame_delegation",
    name: "example.org",
    server: "192.0.2.53",
    reason: "REFUSED",
  },
  dnssec_failure: {
    kind: "dnssec_failure",
    name: "example.org",
    server: "192.0.2.1",
    reason: "a signature has expired",
  },
  registration_expired: { kind: "registration_expired", name: "example.org", found: [] },
  registration_on_hold: {
    kind: "registration_on_hold",
    name: "example.org",
    found: ["failed-whois-verification.namecheap.com"],
    provider: "Namecheap",
  },
  parked: { kind: "parked", name: "example.org", found: ["ns1.sedoparking.com"], provider: "Sedo" },
  long_ttl: { kind: "long_ttl", name, type: "CNAME", seconds: 86_400 },
  platform_unready: { kind: "platform_unready", name: target, reason: "has no A or AAAA record" },
  domain_taken: { kind: "domain_taken", name },
  domain_lost: { kind: "domain_lost", name },
};

/** The findings of a check, with an example of each message. */
export const findingSections = (): string =>
  parts(
    ...Object.values(EXAMPLES).map((example) => {
      const { meaning, responsible } = FINDINGS[example.kind];
      const who = `**Who must act:** ${RESPONSIBLE[responsible]}.`;
      return parts(`## \`${example.kind}\``, `${meaning} ${who}`, `> ${describeFinding(example)}`);
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
  fields,
  apexType,
  apexName,
  needsFinalDot,
}: Provider): string[] => [
  name,
  nameServers.map(serverOf).join(", "),
  add === undefined ? where : `${where}, ${add}`,
  fields.name,
  fields.value,
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

/** The headers that a site may set. */
export const siteHeadersTable = (): string =>
  table(
    ["purpose", "headers"],
    Object.entries(SITE_HEADERS).map(([purpose, names]) => [purpose, codes(names.map(spelled))]),
  );
