import { type DomainFinding, describe } from "../../domains/domain.ts";
import { parts } from "./markdown.ts";

interface Explained {
  example: DomainFinding;
  meaning: string;
  /** Who has to act, and how. */
  remedy: string;
}

type Kind = DomainFinding["kind"];

const name = "docs.example.org";
const target = "k3vqx2m7.cname.sites.example.org";

const FINDINGS: { readonly [Name in Kind]: Explained & { example: { kind: Name } } } = {
  no_record: {
    example: { kind: "no_record", name, type: "CNAME", expected: [target] },
    meaning: "The record does not exist.",
    remedy: "You create it at your DNS provider.",
  },
  wrong_target: {
    example: { kind: "wrong_target", name, type: "CNAME", found: ["old.example.net"], expected: [target] },
    meaning: "The record has another value.",
    remedy: "You change its value at your DNS provider. It must match exactly.",
  },
  conflicting_record: {
    example: { kind: "conflicting_record", name, type: "A", found: ["192.0.2.7"], expected: [target] },
    meaning: "An address record has the name that the CNAME needs.",
    remedy: "You remove it at your DNS provider, and create the CNAME.",
  },
  caa_forbids: {
    example: {
      kind: "caa_forbids",
      name: "example.org",
      found: ['0 issue "other.example"'],
      expected: ["letsencrypt.org"],
    },
    meaning: "CAA records forbid the CA to issue a certificate for the name.",
    remedy: "You add a CAA record that allows the CA.",
  },
  not_propagated: {
    example: { kind: "not_propagated", name, server: "192.0.2.53", seconds: 3600 },
    meaning: "The record is right, but a resolver still has the old one.",
    remedy: "Nobody: wait for the time that the message names.",
  },
  ownership_unproven: {
    example: {
      kind: "ownership_unproven",
      name: "_adoption-store.example.org",
      type: "TXT",
      found: [],
      expected: [target],
    },
    meaning: "An apex has the right addresses, but all projects share these addresses.",
    remedy: "You create the TXT record at your DNS provider.",
  },
  unreachable: {
    example: { kind: "unreachable", name, server: "192.0.2.53", reason: "timeout" },
    meaning: "A name server did not respond usefully, which says nothing about the domain.",
    remedy: "Nobody, if it passes; otherwise the operator of that name server.",
  },
  domain_taken: {
    example: { kind: "domain_taken", name },
    meaning: "The TXT record names two projects, and the other one holds the domain.",
    remedy: "You remove the other project's value from the TXT record.",
  },
  domain_lost: {
    example: { kind: "domain_lost", name },
    meaning: "The DNS now names another project, which holds the domain.",
    remedy: "If that is a mistake, you create this project's record again, then verify.",
  },
};

/** What a check can find, with an example of each message. */
export const findingSections = (): string =>
  parts(
    ...Object.entries(FINDINGS).map(([kind, { example, meaning, remedy }]) =>
      parts(`## \`${kind}\``, `${meaning} **Who acts:** ${remedy}`, `> ${describe(example)}`),
    ),
  );
