import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { OneOf, ResponseText, ResponseTexts } from "../http/schemas.ts";
import type { Hostname } from "../lib/hostname.ts";
import { TARGET } from "../dns-checks/model.ts";
import type { Report } from "../dns-checks/model.ts";
import { recordFor } from "./needed-record.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { guideFor, zoneIn } from "./provider-guide.ts";

export const ProofRecord = t.Object(
  {
    type: OneOf("ProofType", ["TXT"], { examples: ["TXT"] }),
    name: ResponseText("The name of the record, as DNS providers ask for it.", "_adoption-store"),
    value: ResponseText("The value of the record: exactly the project's target.", TARGET),
    ttl: Type.Integer({ minimum: 1, description: "The TTL of the record, in seconds.", examples: [3600] }),
    bind: ResponseText(
      "The record as a line of a zone file.",
      `_adoption-store.example.org. 3600 IN TXT "${TARGET}"`,
    ),
    terraform: ResponseText("The record as a block of a Terraform configuration."),
    note: t.Optional(ResponseText("A hint about the record.")),
  },
  {
    $id: "ProofRecord",
    description: "A TXT record that proves which project a domain is for.",
  },
);

const AddressRecord = t.Object(
  {
    type: OneOf("AddressType", ["A", "AAAA"], { examples: ["A"] }),
    name: ResponseText("The name of the record: `@`.", "@"),
    value: ResponseText("An address of this service.", "203.0.113.10"),
    ttl: Type.Integer({ minimum: 1, description: "The TTL of the record, in seconds.", examples: [3600] }),
    bind: ResponseText("The record as a line of a zone file.", "example.org. 3600 IN A 203.0.113.10"),
  },
  { $id: "AddressRecord", description: "An address of this service, for DNS providers without ALIAS." },
);

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
    ttl: Type.Integer({ minimum: 1, description: "The TTL of the record, in seconds.", examples: [3600] }),
    note: t.Optional(ResponseText("A hint about the record.")),
    bind: t.Optional(
      ResponseText(
        "The record as a line of a zone file. Absent for an ALIAS.",
        `docs.example.org. 3600 IN CNAME ${TARGET}.`,
      ),
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

/**
 * The record that a name needs, and what to do in the zone of the last check.
 * @param addresses of the target, if they are known better than by that check
 * @param findings of that check
 */
export const recordAndGuide = (
  hostname: Hostname,
  target: string,
  report: Report | undefined,
  {
    addresses = [],
    findings = [],
  }: { addresses?: readonly string[] | undefined; findings?: readonly DomainFinding[] } = {},
) => {
  const zone = { ...zoneIn(report), ...(addresses.length > 0 && { addresses }) };
  const record = recordFor(hostname, target, zone);
  const guide = guideFor(hostname.ascii, record, zone, findings);
  return { record, ...(guide && { guide }) };
};
