import { Type } from "@sinclair/typebox";
import { type Static, type TSchema, t } from "elysia";
import { AnyText, Cursor, Id, Limit, OneOf, Time } from "../http/schemas.ts";
import { formatTime } from "../lib/time.ts";
import { DomainFinding, DomainTrace, Findings, TARGET, text } from "./check-model.ts";
import { type DomainEvent as StoredEvent, EVENTS, ROLES, describe, CERTIFICATE_STATUSES } from "./domain.ts";
import { hostnameOf } from "../lib/hostname.ts";
import { recordFor } from "./needed-record.ts";
import type { InspectedDomain, ListedDomain } from "./service.ts";
import { STAGES, STORED_STAGES } from "./stage.ts";

const Subproblem = t.Object(
  {
    type: text("The kind of problem.", "caa"),
    detail: text("The CA's explanation.", "CAA forbids it."),
    identifier: t.Optional(text("The host name with the problem.", "docs.example.org")),
  },
  { $id: "CertificateSubproblem", description: "One of several reasons why the last attempt failed." },
);

const Problem = t.Object(
  {
    type: text("The kind of problem: an error type of RFC 8555, or one of this service.", "unauthorized"),
    detail: text("The CA's explanation, in its own words.", "The challenge was not answered."),
    status: t.Optional(Type.Integer({ minimum: 100, maximum: 599, examples: [403] })),
    subproblems: t.Array(Subproblem),
  },
  { $id: "CertificateProblem", description: "Why the last attempt failed." },
);

export const DomainCertificate = t.Object(
  {
    status: OneOf("CertificateStatus", CERTIFICATE_STATUSES, {
      description:
        "`wanted`: not ordered yet. `ordered`: the CA is working on it. `failing`: the last attempt failed. `ssl_overdue`: there is no certificate after 30 minutes. `in_use`: valid and served, also during a renewal. `expired`: no longer valid.",
      examples: ["in_use"],
    }),
    notBefore: t.Optional(Time("When the certificate becomes valid.", "2026-11-20T09:32:00.000Z")),
    notAfter: t.Optional(Time("When the certificate expires.", "2027-02-18T09:32:00.000Z")),
    authority: t.Optional(
      text(
        "The ACME directory of the CA that issued the certificate, or `imported`.",
        "https://acme-v02.api.letsencrypt.org/directory",
      ),
    ),
    problem: t.Optional(Problem),
    failures: t.Optional(
      Type.Integer({ minimum: 1, description: "Number of failed attempts in a row.", examples: [1] }),
    ),
    nextAttemptAt: t.Optional(
      Time("When the service tries again, or renews the certificate.", "2026-11-20T09:33:00.000Z"),
    ),
  },
  { $id: "DomainCertificate", description: "The certificate of a domain, and its progress." },
);

const optionalTime = (description: string, example: string) => t.Optional(Time(description, example));

export const NewDomain = t.Object(
  {
    hostname: AnyText("NewHostname", {
      max: 1000,
      description:
        "The domain or subdomain, in Unicode or in Punycode. IP addresses, wildcards, single labels and public suffixes are refused.",
      examples: ["docs.example.org"],
    }),
  },
  { $id: "NewDomain", additionalProperties: false, description: "A custom domain to add." },
);

const Stage = OneOf("DomainStage", STORED_STAGES, {
  description:
    "`awaiting_dns`: the DNS record does not exist yet. `dns_conflict`: another record is in its place. `verified`, `issuing`, `issue_failed`: the domain waits for its certificate. `live`: the domain is served. `suspended`: the plan is below Pro.",
  examples: ["awaiting_dns"],
});

export const ProofRecord = t.Object(
  {
    type: OneOf("ProofType", ["TXT"], { examples: ["TXT"] }),
    name: text("The name of the record, as DNS providers ask for it.", "_adoption-store"),
    value: text("The value of the record: exactly the project's target.", TARGET),
    ttl: Type.Integer({ minimum: 1, description: "The TTL of the record, in seconds.", examples: [3600] }),
    bind: text(
      "The record as a line of a zone file.",
      `_adoption-store.example.org. 3600 IN TXT "${TARGET}"`,
    ),
    terraform: text("The record as a block of a Terraform configuration."),
  },
  {
    $id: "ProofRecord",
    description: "A second record to create for an apex domain. It proves which project the domain is for.",
  },
);

const NeededRecord = t.Object(
  {
    type: OneOf("NeededType", ["CNAME", "ALIAS"], {
      description:
        "The type of the record: `ALIAS` for an apex domain, `CNAME` for a subdomain. Some DNS providers call ALIAS `ANAME`.",
      examples: ["CNAME"],
    }),
    name: text("The name of the record, as DNS providers ask for it: `@` for an apex domain.", "docs"),
    value: text("The value of the record: exactly the project's target.", TARGET),
    ttl: Type.Integer({ minimum: 1, description: "The TTL of the record, in seconds.", examples: [3600] }),
    note: t.Optional(text("A hint about the record.")),
    bind: t.Optional(
      text(
        "The record as a line of a zone file. Absent for an ALIAS.",
        `docs.example.org. 3600 IN CNAME ${TARGET}.`,
      ),
    ),
    terraform: text("The record as a block of a Terraform configuration."),
    proof: t.Optional(ProofRecord),
  },
  {
    $id: "DomainRecord",
    description: "The record to create at the DNS provider. An apex domain needs `proof` too.",
  },
);

export const Domain = t.Object(
  {
    hostname: text("The domain, in Punycode.", "docs.example.org"),
    unicode: text("The domain in Unicode, for display.", "docs.example.org"),
    stage: Stage,
    role: OneOf("DomainRole", ROLES, {
      description:
        "`redirect`: while the primary domain is live, visitors are redirected to it with status 301. Other domains show the site.",
      examples: ["primary"],
    }),
    record: NeededRecord,
    findings: Findings,
    createdAt: Time("When the domain was added.", "2026-11-20T09:30:00.000Z"),
    checkedAt: optionalTime("When the DNS records were last checked.", "2026-11-20T09:31:00.000Z"),
    nextCheckAt: optionalTime(
      "When the service checks the DNS records next. If absent, it checks them only on request.",
      "2026-11-20T09:32:00.000Z",
    ),
    failingSince: optionalTime(
      "Since when a live domain no longer verifies. After 7 days, it is no longer served.",
      "2026-12-20T09:30:00.000Z",
    ),
    verifiedAt: optionalTime("When the domain was first verified.", "2026-11-20T09:32:00.000Z"),
    liveAt: optionalTime("Since when the domain is served.", "2026-11-20T09:32:00.000Z"),
    certificate: t.Optional(DomainCertificate),
    trace: t.Optional(DomainTrace),
  },
  { $id: "Domain", description: "A custom domain, and what it needs to become live." },
);

export const Domains = t.Array(Domain, {
  $id: "Domains",
  maxItems: 100,
  description: "Domains of a project in the order in which they were added.",
});

export const DomainEvent = t.Object(
  {
    at: Time("When the event happened.", "2026-11-20T09:32:00.000Z"),
    actor: OneOf("DomainActor", ["key", "person", "operator", "service"], {
      description:
        "Who caused the event. `key`: an API key. `person`: a person at the console. `operator`: the command line. `service`: the service itself.",
      examples: ["key"],
    }),
    key: t.Optional(Id("Id of the API key.", 1)),
    person: t.Optional(Id("Id of the person.", 1)),
    name: t.Optional(text("Name of the key or person at that time.", "website")),
    event: OneOf("DomainEventName", EVENTS, {
      description: "What happened. A check with the same result as the previous one has no event.",
      examples: ["records_right"],
    }),
    stage: OneOf("DomainEventStage", STAGES, {
      description: "The stage of the domain after the event.",
      examples: ["live"],
    }),
    findings: t.Array(DomainFinding, { description: "The findings of a check." }),
  },
  { $id: "DomainEvent", description: "An event in the history of a domain." },
);

export const DomainHistory = t.Array(DomainEvent, {
  $id: "DomainHistory",
  maxItems: 100,
  description: "The events of a domain, newest first.",
});

const slug = t.String({ description: "The project's slug.", examples: ["docs"] });

export const ProjectParams = t.Object({ slug });

export const DomainParams = t.Object({
  slug,
  hostname: t.String({
    description: "The domain, in Unicode or in Punycode. Case makes no difference.",
    examples: ["docs.example.org"],
  }),
});

export const PageQuery = t.Object(
  { limit: t.Optional(Limit), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
);

type Wire<Schema extends TSchema> = Static<Schema>;

const times = (fields: Record<string, number | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, time]) => (time === null ? [] : [[name, formatTime(time)]])),
  );

const fromFindings = (findings: ListedDomain["findings"]): Wire<typeof Findings> =>
  findings.map((finding) => ({ ...finding, message: describe(finding) }));

/** The wire form of a domain. */
export const fromDomain = (domain: ListedDomain | InspectedDomain): Wire<typeof Domain> => {
  const { stage, role, target, createdAt, checkedAt, nextCheckAt, failingSince, verifiedAt, liveAt } = domain;
  const hostname = hostnameOf(domain.hostname);
  return {
    hostname: hostname.ascii,
    unicode: hostname.unicode,
    stage,
    role,
    record: recordFor(hostname, target),
    findings: fromFindings(domain.findings),
    createdAt: formatTime(createdAt),
    ...times({ checkedAt, nextCheckAt, failingSince, verifiedAt, liveAt }),
    ...(domain.certificate && { certificate: domain.certificate }),
    ...("trace" in domain && { trace: domain.trace }),
  };
};

/** The wire form of a row of the history. */
export const fromEvent = ({ at, actor, event, stage, findings }: StoredEvent): Wire<typeof DomainEvent> => ({
  at: formatTime(at),
  actor: actor.kind,
  ...(actor.kind === "key" && { key: actor.id }),
  ...(actor.kind === "person" && { person: actor.id }),
  ...("name" in actor && actor.name !== null && { name: actor.name }),
  event,
  stage,
  findings: fromFindings(findings),
});
