import { Type } from "@sinclair/typebox";
import { type Static, type TSchema, t } from "elysia";
import { Cursor, Id, Limit, OneOf, Time } from "../http/schemas.ts";
import { formatTime } from "../lib/time.ts";
import { DomainFinding, DomainTrace, Findings, TARGET, text } from "./check-model.ts";
import { type DomainEvent as StoredEvent, EVENTS, ROLES, describe, CERTIFICATE_STATUSES } from "./domain.ts";
import { hostnameOf } from "../lib/hostname.ts";
import { recordFor } from "./needed-record.ts";
import type { InspectedDomain, ListedDomain } from "./service.ts";
import { STAGES, STORED_STAGES } from "./stage.ts";

const Subproblem = t.Object(
  {
    type: text("What kind of problem.", "caa"),
    detail: text("What the CA said about it.", "CAA forbids it."),
    identifier: t.Optional(text("The name that it is about.", "docs.example.org")),
  },
  { $id: "CertificateSubproblem", description: "One reason of several why the last attempt failed." },
);

const Problem = t.Object(
  {
    type: text("What kind of problem: RFC 8555's word, or one of ours.", "unauthorized"),
    detail: text("What the CA said, in its own words.", "The challenge was not answered."),
    status: t.Optional(Type.Integer({ minimum: 100, maximum: 599, examples: [403] })),
    subproblems: t.Array(Subproblem),
  },
  { $id: "CertificateProblem", description: "Why the last attempt failed." },
);

export const DomainCertificate = t.Object(
  {
    status: OneOf("CertificateStatus", CERTIFICATE_STATUSES, {
      description:
        "`wanted`: not ordered yet; `ordered`: the CA is at work; `failing`: the last attempt failed; `ssl_overdue`: no certificate after 30 minutes; `in_use`, also while it is renewed; `expired`.",
      examples: ["in_use"],
    }),
    notBefore: t.Optional(Time("From when on it is valid.", "2026-11-20T09:32:00.000Z")),
    notAfter: t.Optional(Time("Until when it is valid.", "2027-02-18T09:32:00.000Z")),
    authority: t.Optional(
      text(
        "The directory of the CA that issued it, or `imported`.",
        "https://acme-v02.api.letsencrypt.org/directory",
      ),
    ),
    problem: t.Optional(Problem),
    failures: t.Optional(
      Type.Integer({ minimum: 1, description: "Failed attempts in a row.", examples: [1] }),
    ),
    nextAttemptAt: t.Optional(
      Time("When the service acts by itself: the next attempt, or a renewal.", "2026-11-20T09:33:00.000Z"),
    ),
  },
  { $id: "DomainCertificate", description: "A name's certificate, and its progress." },
);

const optionalTime = (description: string, example: string) => t.Optional(Time(description, example));

export const NewDomain = t.Object(
  {
    hostname: t.String({
      minLength: 1,
      maxLength: 1000,
      description:
        "The domain or subdomain, with U-labels or A-labels. No IP address, wildcard, single label or public suffix.",
      examples: ["docs.example.org"],
    }),
  },
  { $id: "NewDomain", additionalProperties: false, description: "A custom domain to add." },
);

const Stage = OneOf("DomainStage", STORED_STAGES, {
  description:
    "`awaiting_dns`: its record does not exist yet; `dns_conflict`: another record is in its place; `verified`, `issuing`, `issue_failed`: it waits for its certificate; `live`: it is served; `suspended`: the plan is below Pro.",
  examples: ["awaiting_dns"],
});

export const ProofRecord = t.Object(
  {
    type: OneOf("ProofType", ["TXT"], { examples: ["TXT"] }),
    name: text("What to enter as the record's name.", "_adoption-store"),
    value: text("The project's own target, exactly.", TARGET),
    ttl: Type.Integer({ minimum: 1, description: "Seconds.", examples: [3600] }),
    bind: text("The line of a zone file.", `_adoption-store.example.org. 3600 IN TXT "${TARGET}"`),
    terraform: text("The block of a Terraform configuration."),
  },
  {
    $id: "ProofRecord",
    description: "A second record to create: it tells which project a registered domain is for.",
  },
);

const NeededRecord = t.Object(
  {
    type: OneOf("NeededType", ["CNAME", "ALIAS"], {
      description: "`ALIAS` for a registered domain itself.",
      examples: ["CNAME"],
    }),
    name: text("What to enter as the record's name: `@` for the registered domain itself.", "docs"),
    value: text("What it must point to: the project's own target, exactly.", TARGET),
    ttl: Type.Integer({ minimum: 1, description: "Seconds.", examples: [3600] }),
    note: t.Optional(text("What else to know about the record.")),
    bind: t.Optional(
      text("The line of a zone file; none for an ALIAS.", `docs.example.org. 3600 IN CNAME ${TARGET}.`),
    ),
    terraform: text("The block of a Terraform configuration."),
    proof: t.Optional(ProofRecord),
  },
  {
    $id: "DomainRecord",
    description: "The record to create at the DNS provider; of a registered domain itself, `proof` too.",
  },
);

export const Domain = t.Object(
  {
    hostname: text("In A-labels.", "docs.example.org"),
    unicode: text("The same with U-labels, to show.", "docs.example.org"),
    stage: Stage,
    role: OneOf("DomainRole", ROLES, {
      description:
        "`redirect`: its visitors are sent to the primary domain with 301, while that is live; visitors of other domains get the site.",
      examples: ["primary"],
    }),
    record: NeededRecord,
    findings: Findings,
    createdAt: Time("When it was added.", "2026-11-20T09:30:00.000Z"),
    checkedAt: optionalTime("When its records were last checked.", "2026-11-20T09:31:00.000Z"),
    nextCheckAt: optionalTime(
      "When the service checks them next; absent: only on request.",
      "2026-11-20T09:32:00.000Z",
    ),
    failingSince: optionalTime(
      "Since when a live domain no longer verifies; 7 days later it is no longer served.",
      "2026-12-20T09:30:00.000Z",
    ),
    verifiedAt: optionalTime("When its records were first found right.", "2026-11-20T09:32:00.000Z"),
    liveAt: optionalTime("Since when it is served.", "2026-11-20T09:32:00.000Z"),
    certificate: t.Optional(DomainCertificate),
    trace: t.Optional(DomainTrace),
  },
  { $id: "Domain", description: "A custom domain, and what to do for it." },
);

export const Domains = t.Array(Domain, {
  $id: "Domains",
  maxItems: 100,
  description: "Domains of a project, in the order they were added.",
});

export const DomainEvent = t.Object(
  {
    at: Time("When it happened.", "2026-11-20T09:32:00.000Z"),
    actor: OneOf("DomainActor", ["key", "operator", "service"], {
      description: "`key`: an API key; `operator`: the command line; `service`: the service itself.",
      examples: ["key"],
    }),
    key: t.Optional(Id("The API key.", 1)),
    event: OneOf("DomainEventName", EVENTS, {
      description: "What happened. A check with the same result as the one before is left out.",
      examples: ["records_right"],
    }),
    stage: OneOf("DomainEventStage", STAGES, {
      description: "The stage that it led to, or left as it was.",
      examples: ["live"],
    }),
    findings: t.Array(DomainFinding, { description: "What a check found." }),
  },
  { $id: "DomainEvent", description: "What happened to a domain." },
);

export const DomainHistory = t.Array(DomainEvent, {
  $id: "DomainHistory",
  maxItems: 100,
  description: "What happened to a domain, newest first.",
});

const slug = t.String({ description: "The project's slug.", examples: ["docs"] });

export const ProjectParams = t.Object({ slug });

export const DomainParams = t.Object({
  slug,
  hostname: t.String({
    description: "The domain, with U-labels or A-labels, in any case.",
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
    ...("certificate" in domain && domain.certificate && { certificate: domain.certificate }),
    ...("trace" in domain && { trace: domain.trace }),
  };
};

/** The wire form of a row of the history. */
export const fromEvent = ({ at, actor, event, stage, findings }: StoredEvent): Wire<typeof DomainEvent> => ({
  at: formatTime(at),
  actor: actor.kind,
  ...(actor.kind === "key" && { key: actor.keyId }),
  event,
  stage,
  findings: fromFindings(findings),
});
