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
          "`not_propagated` and `unreachable` only need time; `unreachable` never counts as a failure. `ownership_unproven`: the addresses of a registered domain are those of every project, and only the TXT record `record.proof` tells which of them it is for. `domain_taken`: the DNS also names the project that holds the domain. `domain_lost`: another project has proven that the domain is its own.",
        examples: ["no_record"],
      },
    ),
    message: text("What to do, in one sentence."),
    name: text("The name whose record it is about.", "docs.example.org"),
    type: t.Optional(text("The record's type.", "CNAME")),
    found: t.Optional(texts("Its values.", ["203.0.113.7"])),
    expected: t.Optional(texts("What they must be.", [TARGET])),
    server: t.Optional(text("The server that responded so, or did not respond.", "192.0.2.53")),
    seconds: t.Optional(
      Type.Integer({ minimum: 0, description: "How long caches may keep the old records.", examples: [300] }),
    ),
    reason: t.Optional(text("Why a server could not be asked.")),
  },
  { $id: "DomainFinding", description: "What a check found, naming the record to change." },
);

export const Findings = t.Array(DomainFinding, {
  description: "Of the last check; empty if everything is right.",
});

const DomainQuestion = t.Object(
  {
    server: text("The server that was asked.", "192.0.2.1"),
    name: text("The name.", "docs.example.org"),
    type: text("The type of record.", "CNAME"),
    recursive: t.Boolean({ description: "True if the server was asked as a resolver." }),
    transport: OneOf("Transport", ["udp", "tcp"], { examples: ["udp"] }),
    outcome: text("The response code, or why there was no response: `timeout`, `refused`, ...", "NOERROR"),
    detail: t.Optional(text("More about why there was no response.")),
    records: texts("The records, as zone files write them; at most 20.", [
      `docs.example.org 3600 IN CNAME ${TARGET}`,
    ]),
    milliseconds: Type.Integer({ minimum: 0, description: "How long it took.", examples: [12] }),
  },
  { $id: "DomainQuestion", description: "A query of a check, and its response." },
);

export const DomainTrace = t.Object(
  {
    target: text("What the record had to point to.", TARGET),
    zone: t.Optional(text("The zone that holds the name, if the resolvers knew one.", "example.org")),
    nameServers: texts("The zone's own servers that were asked.", ["192.0.2.1"]),
    chain: texts("The name, and the value of every CNAME record from it on.", ["docs.example.org", TARGET]),
    targetAddresses: texts("Addresses of the target.", ["192.0.2.80"]),
    caa: texts("The CAA records that count.", ['example.org 3600 IN CAA 0 issue "letsencrypt.org"']),
    questions: t.Array(DomainQuestion, {
      description: "Every query, in the order of the responses; at most 200.",
    }),
  },
  { $id: "DomainTrace", description: "Every query of the last check, and its response." },
);
