import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { OneOf } from "../http/schemas.ts";

export const TARGET = "k3vq7zj5n2xw4ryt6mbd.cname.example.net";

export const text = (description: string, ...examples: string[]) =>
  t.String({ description, ...(examples.length > 0 && { examples }) });

export const texts = (description: string, examples: string[]) =>
  t.Array(t.String(), { description, examples: [examples] });

export const DomainFinding = t.Object(
  {
    kind: OneOf(
      "FindingKind",
      [
        "no_record",
        "wrong_target",
        "conflicting_record",
        "caa_forbids",
        "not_propagated",
        "ownership_unproven",
        "unreachable",
        "domain_taken",
        "domain_lost",
      ],
      {
        description:
          "`no_record`: the record does not exist. `wrong_target`: the record has another value. `conflicting_record`: another record blocks it. `caa_forbids`: CAA records block the CA. `not_propagated`: some servers still have the old records. `ownership_unproven`: an apex domain needs the TXT record in `record.proof`. `unreachable`: a server did not respond, which never counts as a failure. `domain_taken`: the DNS also names the project that holds the domain. `domain_lost`: another project has proven that the domain is its own.",
        examples: ["no_record"],
      },
    ),
    message: text("What to do, in one sentence."),
    name: text("The name of the record.", "docs.example.org"),
    type: t.Optional(text("The type of the record.", "CNAME")),
    found: t.Optional(texts("The values that the DNS has.", ["203.0.113.7"])),
    expected: t.Optional(texts("The values that the DNS must have.", [TARGET])),
    server: t.Optional(text("The DNS server that gave this response, or none.", "192.0.2.53")),
    seconds: t.Optional(
      Type.Integer({
        minimum: 0,
        description: "How long caches can keep the old records, in seconds.",
        examples: [300],
      }),
    ),
    reason: t.Optional(text("Why a DNS server could not be asked.")),
  },
  { $id: "DomainFinding", description: "What a check found, and which record to change." },
);

export const Findings = t.Array(DomainFinding, {
  description: "The findings of the last check. Empty if everything is right.",
});

const DomainQuestion = t.Object(
  {
    server: text("The DNS server.", "192.0.2.1"),
    name: text("The name in the query.", "docs.example.org"),
    type: text("The record type in the query.", "CNAME"),
    recursive: t.Boolean({ description: "`true` if the query asked for recursion." }),
    transport: OneOf("Transport", ["udp", "tcp"], { examples: ["udp"] }),
    outcome: text("The response code, or why there is no response: `timeout`, `refused`, ...", "NOERROR"),
    detail: t.Optional(text("Details about a missing response.")),
    records: texts("The records as lines of a zone file, at most 20.", [
      `docs.example.org 3600 IN CNAME ${TARGET}`,
    ]),
    milliseconds: Type.Integer({
      minimum: 0,
      description: "How long the query took, in milliseconds.",
      examples: [12],
    }),
  },
  { $id: "DomainQuestion", description: "A DNS query of a check, and its response." },
);

export const DomainTrace = t.Object(
  {
    target: text("The value that the record must have.", TARGET),
    zone: t.Optional(text("The zone of the name, if the resolvers know it.", "example.org")),
    nameServers: texts("The zone's authoritative servers that were asked.", ["192.0.2.1"]),
    chain: texts("The name, followed by the value of each CNAME record.", ["docs.example.org", TARGET]),
    targetAddresses: texts("The addresses of the target.", ["192.0.2.80"]),
    caa: texts("The CAA records that apply.", ['example.org 3600 IN CAA 0 issue "letsencrypt.org"']),
    questions: t.Array(DomainQuestion, {
      description: "The queries in the order of their responses, at most 200.",
    }),
  },
  { $id: "DomainTrace", description: "Every DNS query of the last check, with its response." },
);
