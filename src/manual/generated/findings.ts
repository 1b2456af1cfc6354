import { FINDINGS, describeFinding } from "../../dns-checks/finding-kinds.ts";
import { type DomainFinding, RESPONSIBLE } from "../../dns-checks/finding.ts";
import { parts } from "./markdown.ts";

type Kind = DomainFinding["kind"];

const name = "docs.example.org";
const target = "k3vqx2m7.cname.sites.example.org";

const EXAMPLES: { readonly [Name in Kind]: DomainFinding & { kind: Name } } = {
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

/** What a check can find, with an example of each message. */
export const findingSections = (): string =>
  parts(
    ...Object.values(EXAMPLES).map((example) => {
      const { meaning, responsible } = FINDINGS[example.kind];
      const who = `**Who must act:** ${RESPONSIBLE[responsible]}.`;
      return parts(`## \`${example.kind}\``, `${meaning} ${who}`, `> ${describeFinding(example)}`);
    }),
  );
