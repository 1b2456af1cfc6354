import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { TARGET } from "../dns-checks/model.ts";
import { OneOf, OptionalText, ResponseText, ResponseTexts } from "../../http/schemas.ts";

const ttl = Type.Integer({ minimum: 1, description: "The TTL of the record, in seconds.", examples: [3600] });

export const ProofRecord = t.Object(
  {
    type: OneOf("ProofType", ["TXT"], { examples: ["TXT"] }),
    name: ResponseText("The name of the record, as DNS providers ask for it.", "_adoption-store"),
    value: ResponseText("The value of the record: exactly the project's target.", TARGET),
    ttl,
    bind: ResponseText(
      "The record as a line of a zone file.",
      `_adoption-store.example.org. 3600 IN TXT "${TARGET}"`,
    ),
    terraform: ResponseText("The record as a block of a Terraform configuration."),
    note: OptionalText("A hint about the record."),
  },
  {
    $id: "ProofRecord",
    description: "A TXT record that proves which project a domain is for.",
  },
);

export type ProofRecord = Static<typeof ProofRecord>;

const AddressRecord = t.Object(
  {
    type: OneOf("AddressType", ["A", "AAAA"], { examples: ["A"] }),
    name: ResponseText("The name of the record: `@`.", "@"),
    value: ResponseText("An address of this service.", "203.0.113.10"),
    ttl,
    bind: ResponseText("The record as a line of a zone file.", "example.org. 3600 IN A 203.0.113.10"),
  },
  { $id: "AddressRecord", description: "An address of this service, for DNS providers without ALIAS." },
);

export type AddressRecord = Static<typeof AddressRecord>;

export const NeededRecord = t.Object(
  {
    type: OneOf("NeededType", ["CNAME", "ALIAS"], {
      description:
        "The type of the record: `ALIAS` for an apex domain, `CNAME` for a subdomain. Some DNS providers call ALIAS `ANAME`.",
      examples: ["CNAME"],
    }),
    name: ResponseText(
      "The name of the record, as DNS providers ask for it: `@` for an apex domain.",
      "docs",
    ),
    value: ResponseText("The value of the record: exactly the project's target.", TARGET),
    ttl,
    note: OptionalText("A hint about the record."),
    bind: OptionalText(
      "The record as a line of a zone file. Absent for an ALIAS.",
      `docs.example.org. 3600 IN CNAME ${TARGET}.`,
    ),
    terraform: ResponseText(
      "The record as a block of a Terraform configuration. After a check of a zone at Cloudflare or Route 53, the block is for that provider.",
    ),
    addresses: t.Optional(
      t.Array(AddressRecord, {
        description:
          "Records to create at DNS providers that have neither ALIAS nor ANAME. Absent if the addresses are not known. If they change, the finding `addresses_changed` names the new ones.",
      }),
    ),
    proof: t.Optional(ProofRecord),
  },
  {
    $id: "DomainRecord",
    description: "The record to create at the DNS provider. An apex domain needs `proof` too.",
  },
);

export type NeededRecord = Static<typeof NeededRecord>;

export const ProviderGuide = t.Object(
  {
    provider: ResponseText("The DNS provider that holds the zone.", "Cloudflare"),
    apexType: t.Optional(
      OneOf("ApexType", ["CNAME", "ALIAS", "ANAME"], {
        description:
          "What this provider calls a record that gives an apex domain the addresses of the target. Absent if it has none.",
        examples: ["CNAME"],
      }),
    ),
    steps: ResponseTexts("The steps, in order.", [
      "Sign in at Cloudflare, and open: the domain, DNS, Records.",
      "Delete the A record with the name docs and the value 203.0.113.7.",
    ]),
  },
  {
    $id: "ProviderGuide",
    description:
      "What to do at the DNS provider of the zone, if the service knows the provider: the steps that resolve the findings, or else create the records.",
  },
);

export type ProviderGuide = Static<typeof ProviderGuide>;

const CHALLENGE_TARGET = "k3vq7zj5n2xw4ryt6mbd._acme-challenge.sites.example.net";

export const ChallengeRecord = t.Object(
  {
    type: OneOf("ChallengeRecordType", ["CNAME"], { examples: ["CNAME"] }),
    name: ResponseText("The name of the record, as DNS providers ask for it.", "_acme-challenge.docs"),
    value: ResponseText("The value of the record: exactly this name.", CHALLENGE_TARGET),
    ttl,
    required: t.Boolean({
      description: "True for a wildcard: without the record, it cannot become live.",
      examples: [false],
    }),
    note: ResponseText("What the record is for."),
    bind: ResponseText(
      "The record as a line of a zone file.",
      `_acme-challenge.docs.example.org. 3600 IN CNAME ${CHALLENGE_TARGET}.`,
    ),
    terraform: ResponseText("The record as a block of a Terraform configuration."),
  },
  {
    $id: "ChallengeRecord",
    description:
      "The record with which this service proves control of the domain to a CA. A wildcard requires it. With other domains, it lets you move a live site without downtime: it proves the domain, and the server orders the certificate. Change the other records when the domain is `live`.",
  },
);

export type ChallengeRecord = Static<typeof ChallengeRecord>;

export const ConnectOffer = t.Object(
  {
    provider: ResponseText("The DNS provider, as it calls itself.", "Example DNS"),
    url: ResponseText(
      "The page of the DNS provider where the holder of the domain signs in and agrees to the records.",
      "https://connect.example.com/v2/domainTemplates/providers/example.org/services/subdomain/apply?domain=example.net&host=docs",
    ),
  },
  {
    $id: "DomainConnect",
    description:
      "A link with which the DNS provider creates the records itself (Domain Connect). Present only if the domain needs records, and the provider supports the template of this service.",
  },
);

export type ConnectOffer = Static<typeof ConnectOffer>;

/** The record of the domain in the OpenAPI documents' examples. */
export const RECORD = {
  type: "CNAME",
  name: "docs",
  value: TARGET,
  ttl: 3600,
  bind: `docs.example.org. 3600 IN CNAME ${TARGET}.`,
  terraform: `resource "dns_cname_record" "docs_example_org" {\n  zone  = "example.org."\n  name  = "docs"\n  cname = "${TARGET}."\n  ttl   = 3600\n}`,
};
