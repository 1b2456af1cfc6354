import type { Responsible } from "../../src/platform/dns-checks/finding-kind.ts";
import type { FindingKind } from "../../src/platform/dns-checks/finding.ts";
import type { Misbehaviour } from "./fault-servers.ts";

/**
 * A fault in the DNS of a custom domain. Records are lines of a zone file with names below the zone (`@` is the zone
 * itself) and with whole names as values. `{target}`, `{other}`, `{zone}` and `{refusing}` stand for the project's target,
 * the target of another project, the zone, and the address of a server that refuses everything.
 */
export interface ZoneFault {
  /** The zone is `<id>.test`. */
  id: string;
  /** One sentence, for the manual. */
  fault: string;
  /** Services whose users have reported it, in their issue trackers, forums or help pages. */
  reported?: readonly string[];
  /** The custom domain below the zone; `@` is the zone itself. */
  host: string;
  /** The holder's records. */
  records: readonly string[];
  /** Delegated child zones, by their labels. */
  subzones?: Readonly<Record<string, readonly string[]>>;
  /** The findings of the first check, without hints; empty if the domain works. */
  findings: readonly FindingKind[];
  /** Who must act on the first finding. */
  responsible?: Responsible;
  /** The zone's name servers: `named` by default. */
  servers?: readonly Misbehaviour[];
  /** The zone's name server, if it is a company's. */
  nameServer?: string;
  /** The records on that server until the registrar changes it, instead of the holder's. */
  instead?: readonly string[];
  /** True if the registry does not have the domain. */
  isUnregistered?: true;
  /** A zone that the registry says is signed. */
  isSigned?: "not" | "expired" | "with another key";
  /** The project's target has CAA records that forbid the CA. */
  isTargetForbidden?: true;
}

/** The zone that has the fault. */
export const zoneOf = ({ id }: ZoneFault): string => `${id}.test`;

const RIGHT = "docs CNAME {target}";
const PROOF = "_adoption-store TXT {target}";
/** The address of the service, as an ALIAS shows it. */
const ALIAS = "@ A 127.0.0.1";

/** Faults under one heading of the manual. */
export interface FaultGroup {
  title: string;
  faults: readonly ZoneFault[];
}

/** Most rows of a group have its host and its findings. */
type Row = Omit<ZoneFault, "id" | "host" | "findings"> & Partial<Pick<ZoneFault, "host" | "findings">>;

const group = (
  title: string,
  most: Pick<ZoneFault, "host" | "findings">,
  rows: Readonly<Record<string, Row>>,
): FaultGroup => ({
  title,
  faults: Object.entries(rows).map(([id, row]) => ({ id, ...most, ...row })),
});

const CONFLICTS = group(
  "Records in the way",
  { host: "docs", findings: ["conflicting_record"] },
  {
    "a-left": {
      fault: "The A record of the previous host remains.",
      reported: ["Vercel", "Netlify", "GitHub Pages"],
      records: ["docs A 192.0.2.7"],
    },
    "aaaa-left": {
      fault: "The AAAA record of the previous host remains.",
      reported: ["GitHub Pages", "Netlify"],
      records: ["docs AAAA 2001:db8::7"],
    },
    "a-and-aaaa-left": {
      fault: "Several A and AAAA records of the previous host remain.",
      records: ["docs A 192.0.2.7", "docs A 192.0.2.8", "docs AAAA 2001:db8::7"],
      findings: ["conflicting_record", "conflicting_record"],
    },
    "service-address": {
      fault: "An A record has the service's address, instead of a CNAME record.",
      reported: ["GitHub Pages"],
      records: ["docs A 127.0.0.1"],
    },
    forwarding: {
      fault: "The registrar's web forwarding answers for the name.",
      reported: ["Vercel", "GitHub Pages"],
      records: ["docs A 192.0.2.99", "docs TXT forwards to https://www.{zone}"],
      findings: ["conflicting_record", "conflicting_record"],
    },
    "private-address": {
      fault: "The name has the private address of an internal network.",
      records: ["docs A 10.0.0.7"],
    },
    "txt-conflict": {
      fault: "A TXT record at the name, such as another service's verification, blocks the CNAME record.",
      reported: ["Vercel"],
      records: ["docs TXT site-verification=4711"],
    },
    "target-in-txt": {
      fault: "The target is in a TXT record instead of a CNAME record.",
      reported: ["Vercel"],
      records: ["docs TXT {target}"],
    },
    "mx-conflict": {
      fault: "An MX record at the name blocks the CNAME record.",
      records: ["docs MX 10 mail.{zone}", "mail A 192.0.2.25"],
    },
    "caa-conflict": {
      fault: "A CAA record at the name blocks the CNAME record.",
      records: ['docs CAA 0 issue "ca.test"'],
    },
    "https-conflict": {
      fault: "An HTTPS record of the previous host blocks the CNAME record.",
      records: ["docs HTTPS 1 . alpn=h2 ipv4hint=192.0.2.7"],
    },
    "all-conflict": {
      fault: "A, TXT and MX records at the name block the CNAME record.",
      records: ["docs A 192.0.2.7", "docs TXT v=spf1 -all", "docs MX 10 mail.{zone}", "mail A 192.0.2.25"],
      findings: ["conflicting_record", "conflicting_record", "conflicting_record"],
    },
    "delegated-refused": {
      fault: "The name is delegated to name servers that refuse all queries.",
      reported: ["Netlify"],
      records: ["docs NS ns-old.{zone}", "ns-old A {refusing}"],
      findings: ["delegated_away"],
    },
    "delegated-parent": {
      fault:
        "A name between the domain and the subdomain is delegated to name servers that refuse all queries.",
      host: "docs.dept",
      records: ["dept NS ns-old.{zone}", "ns-old A {refusing}"],
      findings: ["delegated_away"],
    },
    "delegated-here": {
      fault: "The name is itself a zone, which has the address of the previous host.",
      reported: ["Netlify"],
      records: ["docs NS ns1.{zone}"],
      subzones: { docs: ["@ NS ns1.{zone}", "@ A 192.0.2.7"] },
      findings: ["delegated_away"],
    },
  },
);

const VALUES = group(
  "The value of the record",
  { host: "docs", findings: ["wrong_target"] },
  {
    misspelt: {
      fault: "The target is misspelt.",
      reported: ["Vercel", "Netlify"],
      records: ["docs CNAME x{target}"],
    },
    "old-target": {
      fault: "The CNAME record still points to the previous host.",
      reported: ["Netlify", "Cloudflare for SaaS"],
      records: ["docs CNAME previous.host.test"],
    },
    "other-project": {
      fault: "The CNAME record has the target of another project.",
      reported: ["GitHub Pages", "Vercel"],
      records: ["docs CNAME {other}"],
    },
    "without-label": {
      fault: "The CNAME record points to the service itself, without the project's label.",
      reported: ["GitHub Pages"],
      records: ["docs CNAME pages.test"],
    },
    "label-only": {
      fault:
        "The CNAME record has only the first label of the target, to which the panel has added the zone.",
      records: ["docs CNAME k3vqx2m7.{zone}"],
    },
    "zone-added": {
      fault: "The value has no final dot, so the panel has added the zone to it.",
      reported: ["Netlify"],
      records: ["docs CNAME {target}.{zone}"],
    },
    scheme: {
      fault: "The value begins with https://.",
      reported: ["GitHub Pages"],
      records: ["docs CNAME https://{target}"],
    },
    path: {
      fault: "The value ends with a path.",
      reported: ["GitHub Pages"],
      records: ["docs CNAME {target}/docs/"],
    },
    quotes: {
      fault: "The value is in quotation marks.",
      records: ['docs CNAME "{target}"'],
    },
    "address-as-name": {
      fault: "The CNAME record has an IP address as its value.",
      reported: ["GitHub Pages"],
      records: ["docs CNAME 127.0.0.1"],
    },
    "through-apex": {
      fault: "The CNAME record points to the domain itself, which points to the service.",
      reported: ["GitHub Pages"],
      records: ["docs CNAME {zone}", ALIAS],
    },
    "through-www": {
      fault: "The CNAME record points to another name, which has the right record.",
      records: ["docs CNAME www.{zone}", "www CNAME {target}"],
    },
    "other-cdn": {
      fault: "The CNAME record points to another CDN, which fetches from the service.",
      reported: ["Cloudflare for SaaS", "GitHub Pages"],
      records: ["docs CNAME {zone}.map.fastly.test"],
    },
    loop: {
      fault: "The CNAME record is part of a loop.",
      records: ["docs CNAME www.{zone}", "www CNAME docs.{zone}"],
    },
    "to-itself": {
      fault: "The CNAME record points to its own name.",
      reported: ["GitHub Pages"],
      records: ["docs CNAME docs.{zone}"],
    },
    "long-chain": {
      fault: "The CNAME record begins a chain of twenty names.",
      records: [
        "docs CNAME c1.{zone}",
        ...Array.from({ length: 19 }, (_, step) => `c${step + 1} CNAME c${step + 2}.{zone}`),
        "c20 CNAME {target}",
      ],
    },
    "two-cnames": {
      fault: "The name has two CNAME records, one of which is right.",
      records: [RIGHT, "docs CNAME previous.host.test"],
      servers: ["none"],
    },
    "two-wrong-cnames": {
      fault: "The name has two CNAME records, both of which are wrong.",
      records: ["docs CNAME previous.host.test", "docs CNAME other.host.test"],
      servers: ["none"],
    },
    "long-ttl-wrong": {
      fault: "A wrong CNAME record has a TTL of two days.",
      reported: ["Netlify"],
      records: ["docs 172800 CNAME previous.host.test"],
      findings: ["wrong_target", "long_ttl"],
    },
  },
);

const NAMES = group(
  "The name of the record",
  { host: "docs", findings: ["no_record"] },
  {
    "no-record": {
      fault: "The record does not exist yet.",
      reported: ["Cloudflare for SaaS"],
      records: [],
    },
    doubled: {
      fault: "The whole name was entered, and the panel has added the zone.",
      reported: ["Netlify"],
      records: ["docs.{zone} CNAME {target}"],
      findings: ["doubled_name"],
    },
    "other-name": { fault: "The record is at a misspelt name.", records: ["doc CNAME {target}"] },
    "below-name": {
      fault: "The record is at www below the name.",
      records: ["www.docs CNAME {target}"],
    },
    "at-apex": {
      fault: "The record is at the domain instead of the subdomain.",
      records: [ALIAS],
    },
    underscore: {
      fault: "The record is at a name with an underscore instead of a hyphen.",
      host: "my-docs",
      records: ["my_docs CNAME {target}"],
    },
    "utf8-name": {
      fault: "The record of an internationalized name is in UTF-8 instead of Punycode.",
      host: "bücher",
      records: ["bücher CNAME {target}"],
    },
    "wildcard-a": {
      fault: "A wildcard A record answers for the name.",
      reported: ["Vercel", "GitHub Pages"],
      records: ["* A 192.0.2.7"],
      findings: ["wildcard_record"],
    },
    "wildcard-cname": {
      fault: "A wildcard CNAME record with another value answers for the name.",
      reported: ["Vercel"],
      records: ["* CNAME previous.host.test"],
      findings: ["wildcard_record"],
    },
    "below-wildcard": {
      fault: "A right wildcard CNAME record does not answer, because a record exists below the name.",
      records: ["* CNAME {target}", "_site-verification.docs TXT 4711"],
    },
    "at-wildcard": {
      fault: "A right wildcard CNAME record does not answer, because a TXT record exists at the name.",
      records: ["* CNAME {target}", "docs TXT site-verification=4711"],
      findings: ["conflicting_record"],
    },
    "unused-zone": {
      fault: "The record was created in a zone at a provider that the domain does not use.",
      reported: ["Netlify"],
      records: ["www CNAME previous.host.test"],
    },
  },
);

const PROXIES = group(
  "Proxies",
  { host: "docs", findings: ["proxied"] },
  {
    proxied: {
      fault: "Cloudflare's proxy hides the right record.",
      reported: ["Vercel", "Netlify", "GitHub Pages"],
      nameServer: "amy.ns.cloudflare.com",
      records: ["docs A 104.16.0.7", "docs AAAA 2606:4700::7"],
      responsible: "proxy",
    },
    "proxied-elsewhere": {
      fault: "The addresses of the previous host's proxy remain at a provider without a proxy.",
      nameServer: "ns51.domaincontrol.com",
      records: ["docs A 104.16.0.7"],
      findings: ["conflicting_record"],
    },
    "maybe-proxied": {
      fault: "The addresses of Cloudflare's proxy remain at an unknown provider.",
      records: ["docs A 104.16.0.7"],
      responsible: "proxy",
    },
  },
);

const APEXES = group(
  "The domain itself",
  { host: "@", findings: ["ownership_unproven"] },
  {
    "apex-none": {
      fault: "The domain itself has no address.",
      records: [],
      findings: ["no_record"],
    },
    "apex-old": {
      fault: "The domain itself points to the previous host.",
      reported: ["Vercel", "Netlify", "GitHub Pages"],
      records: ["@ A 192.0.2.7"],
      findings: ["wrong_target"],
    },
    "apex-alias-old": {
      fault: "The provider's ALIAS still has addresses that the target no longer has.",
      records: ["@ A 192.0.2.80", "@ AAAA 2001:db8::80"],
      findings: ["wrong_target"],
    },
    "apex-to-itself": {
      fault: "The ALIAS record points to the domain itself, so the domain has no address.",
      reported: ["GitHub Pages"],
      records: ["www CNAME {target}"],
      findings: ["no_record"],
    },
    "apex-stray-a": {
      fault: "The registrar's parking page has an A record in addition to the right one.",
      reported: ["Vercel", "GitHub Pages"],
      records: [ALIAS, "@ A 192.0.2.7"],
      findings: ["stray_address"],
    },
    "apex-stray-aaaa": {
      fault: "An AAAA record of the previous host remains, in addition to the right A record.",
      reported: ["GitHub Pages", "Netlify"],
      records: [ALIAS, "@ AAAA 2001:db8::7"],
      findings: ["stray_address"],
    },
    "apex-https-hint": {
      fault: "An HTTPS record has the addresses of the previous host as hints.",
      records: [ALIAS, PROOF, "@ HTTPS 1 . alpn=h2 ipv4hint=192.0.2.7"],
      findings: ["https_record"],
    },
    "apex-raw-cname": {
      fault: "The domain itself has a CNAME record, which hides its mail records.",
      reported: ["GitHub Pages", "GitLab Pages"],
      records: ["@ CNAME {target}", PROOF],
      servers: ["none"],
      findings: ["apex_cname"],
    },
    "apex-no-proof": {
      fault: "The address is right, but the TXT record is missing.",
      reported: ["Vercel", "Netlify"],
      records: [ALIAS],
    },
    "apex-proof-doubled": {
      fault: "The whole name of the TXT record was entered, and the panel has added the zone.",
      reported: ["Netlify"],
      records: [ALIAS, "_adoption-store.{zone} TXT {target}"],
      findings: ["doubled_name"],
    },
    "apex-proof-quoted": {
      fault: "The value of the TXT record has quotation marks in it.",
      records: [ALIAS, '_adoption-store TXT "{target}"'],
    },
    "apex-proof-truncated": {
      fault: "The value of the TXT record is incomplete.",
      reported: ["Vercel", "GitHub Pages"],
      records: [ALIAS, "_adoption-store TXT k3vqx2m7..."],
    },
    "apex-proof-of-other": {
      fault: "The TXT record has the target of another project.",
      reported: ["Vercel"],
      records: [ALIAS, "_adoption-store TXT {other}"],
    },
    "apex-proof-at-apex": {
      fault: "The TXT record is at the domain itself.",
      records: [ALIAS, "@ TXT {target}"],
    },
    "apex-proof-below-www": {
      fault: "The TXT record is one level too low.",
      reported: ["Vercel"],
      records: [ALIAS, "_adoption-store.www TXT {target}"],
    },
    "apex-proxied": {
      fault: "Cloudflare's proxy hides the record of the domain itself.",
      reported: ["Vercel", "GitHub Pages"],
      nameServer: "amy.ns.cloudflare.com",
      records: ["@ A 104.16.0.7"],
      findings: ["proxied"],
      responsible: "proxy",
    },
    "apex-wildcard": {
      fault: "A wildcard record points to the service, but the domain itself has no record.",
      reported: ["GitHub Pages"],
      records: ["* CNAME {target}"],
      findings: ["no_record"],
    },
  },
);

const CAA = group(
  "CAA records",
  { host: "docs", findings: ["caa_forbids"] },
  {
    "caa-other": {
      fault: "CAA records allow another CA only.",
      reported: ["Vercel", "Netlify", "GitHub Pages"],
      records: [RIGHT, '@ CAA 0 issue "other.test"'],
    },
    "caa-none": { fault: "A CAA record allows no CA.", records: [RIGHT, '@ CAA 0 issue ";"'] },
    "caa-quoted": {
      fault: "The CA's name in the CAA record has quotation marks in it.",
      reported: ["Netlify"],
      records: [RIGHT, String.raw`@ CAA 0 issue "\"ca.test\""`],
    },
    "caa-misspelt": {
      fault: "The CA's name in the CAA record is a URL.",
      records: [RIGHT, '@ CAA 0 issue "https://ca.test"'],
    },
    "caa-critical": {
      fault: "A critical CAA record has a tag that no CA knows.",
      records: [RIGHT, '@ CAA 128 newtag "x"'],
    },
    "caa-account": {
      fault: "The CAA record names another account with the CA.",
      records: [RIGHT, '@ CAA 0 issue "ca.test; accounturi=https://ca.test/account/1"'],
    },
    "caa-method": {
      fault: "The CAA record allows only the method dns-01.",
      records: [RIGHT, '@ CAA 0 issue "ca.test; validationmethods=dns-01"'],
    },
    "caa-email": {
      fault: "The CAA record allows only a method that the service does not support.",
      records: [RIGHT, '@ CAA 0 issue "ca.test; validationmethods=email-01"'],
    },
    "caa-parent": {
      fault: "CAA records of a name between the domain and the subdomain forbid the CA.",
      reported: ["Vercel"],
      host: "docs.dept",
      records: ["docs.dept CNAME {target}", '@ CAA 0 issue "ca.test"', 'dept CAA 0 issue "other.test"'],
    },
    "caa-target": {
      fault: "CAA records of the target forbid the CA.",
      reported: ["Vercel"],
      records: [RIGHT],
      isTargetForbidden: true,
      findings: ["platform_unready"],
      responsible: "operator",
    },
    "caa-notimp": {
      fault: "The name servers respond to CAA queries with NOTIMP.",
      reported: ["Netlify"],
      records: [RIGHT],
      servers: ["no_caa"],
      findings: ["caa_unanswered"],
      responsible: "dns_provider",
    },
    "caa-servfail": {
      fault: "The name servers respond to CAA queries with SERVFAIL.",
      reported: ["GitHub Pages", "Cloudflare for SaaS"],
      records: [RIGHT],
      servers: ["caa_servfail"],
      findings: ["caa_unanswered"],
      responsible: "dns_provider",
    },
    "caa-timeout": {
      fault: "The name servers do not respond to CAA queries.",
      reported: ["GitHub Pages"],
      records: [RIGHT],
      servers: ["caa_silent"],
      findings: ["caa_unanswered"],
      responsible: "dns_provider",
    },
  },
);

const SERVERS = group(
  "Name servers and registration",
  { host: "docs", findings: ["lame_delegation"] },
  {
    refusing: {
      fault: "All name servers refuse queries for the zone.",
      reported: ["Netlify", "Vercel"],
      records: [RIGHT],
      servers: ["refusing"],
      responsible: "dns_provider",
    },
    servfail: {
      fault: "All name servers respond with SERVFAIL.",
      reported: ["GitHub Pages"],
      records: [RIGHT],
      servers: ["servfail"],
      responsible: "dns_provider",
    },
    silent: {
      fault: "No name server of the zone responds.",
      reported: ["GitHub Pages"],
      records: [RIGHT],
      servers: ["silent"],
      findings: ["unreachable"],
      responsible: "dns_provider",
    },
    "one-refuses": {
      fault: "One of two name servers refuses queries for the zone.",
      records: [RIGHT],
      servers: ["none", "refusing"],
      responsible: "dns_provider",
    },
    "one-silent": {
      fault: "One of two name servers does not respond.",
      records: [RIGHT],
      servers: ["none", "silent"],
      findings: ["unreachable"],
      responsible: "nobody",
    },
    "old-secondary": {
      fault: "The second name server has not copied the new record.",
      records: [RIGHT],
      servers: ["none", "outdated"],
      findings: ["mixed_answers"],
      responsible: "dns_provider",
    },
    "server-gone": {
      fault: "The domain's name server has a host name that does not exist.",
      records: [RIGHT],
      nameServer: "ns1.gone.test",
      responsible: "registrar",
    },
    "no-tcp": {
      fault: "The name server truncates its responses over UDP, and does not respond over TCP.",
      records: [RIGHT],
      servers: ["no_tcp"],
      findings: ["unreachable"],
      responsible: "dns_provider",
    },
    unsigned: {
      fault: "The registrar has a DS record, but the zone is no longer signed.",
      reported: ["Vercel", "Netlify"],
      host: "@",
      records: [ALIAS, PROOF],
      isSigned: "not",
      findings: ["dnssec_failure"],
      responsible: "dns_provider",
    },
    "other-key": {
      fault: "The DS record at the registrar is for a key that the zone no longer has.",
      reported: ["Vercel"],
      records: [RIGHT],
      isSigned: "with another key",
      findings: ["dnssec_failure"],
      responsible: "dns_provider",
    },
    "signature-expired": {
      fault: "The DNSSEC signatures of the zone have expired.",
      records: [RIGHT],
      isSigned: "expired",
      findings: ["dnssec_failure"],
      responsible: "dns_provider",
    },
    unregistered: {
      fault: "The domain is not registered, or its registration has expired.",
      reported: ["Vercel"],
      records: [RIGHT],
      isUnregistered: true,
      findings: ["registration_expired"],
      responsible: "registrar",
    },
    "expired-page": {
      fault: "The registration has expired, and the registrar shows a page about it.",
      records: [RIGHT],
      instead: ["docs A 192.0.2.9"],
      nameServer: "ns1.pendingrenewaldeletion.com",
      findings: ["registration_expired"],
      responsible: "registrar",
    },
    "on-hold": {
      fault: "The registrar is waiting for the holder to confirm the contact details.",
      records: [RIGHT],
      instead: ["docs A 192.0.2.9"],
      nameServer: "ns1.verify-contact-details.namecheap.com",
      findings: ["registration_on_hold"],
      responsible: "registrar",
    },
    parked: {
      fault: "The domain uses the name servers of a parking page.",
      reported: ["Netlify"],
      records: [RIGHT],
      instead: ["docs A 192.0.2.9"],
      nameServer: "ns1.sedoparking.com",
      findings: ["parked"],
      responsible: "registrar",
    },
  },
);

const WILDCARDS = group(
  "Wildcard domains",
  { host: "*", findings: ["no_record", "no_record"] },
  {
    "star-none": { fault: "Neither record of a wildcard domain exists.", records: [] },
    "star-no-challenge": {
      fault: "A wildcard domain has no record for its certificate.",
      reported: ["Vercel", "Cloudflare for SaaS"],
      records: ["* CNAME {target}"],
      findings: ["no_record"],
    },
    "star-wrong": {
      fault: "The record of a wildcard domain points to the previous host.",
      records: ["* CNAME previous.host.test"],
      findings: ["wrong_target", "no_record"],
    },
    "star-address": {
      fault: "A wildcard domain has the address of the previous host.",
      records: ["* A 192.0.2.7"],
      findings: ["conflicting_record", "no_record"],
    },
  },
);

/** Zones that look wrong but work. */
const HARMLESS = group(
  "Zones that look wrong and work",
  { host: "docs", findings: [] },
  {
    capitals: {
      fault: "The value is in capitals.",
      reported: ["GitHub Pages"],
      records: ["docs CNAME {TARGET}"],
    },
    idn: {
      fault: "The domain is internationalized.",
      host: "bücher",
      records: ["xn--bcher-kva CNAME {target}"],
    },
    "right-wildcard": {
      fault: "A wildcard CNAME record points to the target.",
      records: ["* CNAME {target}"],
    },
    "right-subzone": {
      fault: "The subdomain is in a delegated zone that works.",
      host: "docs.dept",
      records: ["dept NS ns1.{zone}"],
      subzones: { dept: ["@ NS ns1.{zone}", "docs CNAME {target}"] },
    },
    "long-ttl": {
      fault: "The right record has a TTL of a day.",
      records: ["docs 86400 CNAME {target}"],
      findings: ["long_ttl"],
    },
    "caa-wild-only": {
      fault: "CAA records limit wildcard certificates only.",
      records: [RIGHT, '@ CAA 0 issuewild "other.test"', '@ CAA 0 iodef "mailto:ca@{zone}"'],
    },
    "aaaa-servfail": {
      fault: "The name server responds to AAAA queries with SERVFAIL.",
      records: [RIGHT],
      servers: ["aaaa_servfail"],
    },
    "no-edns": {
      fault: "The name server does not support EDNS.",
      records: [RIGHT],
      servers: ["no_edns"],
    },
  },
);

export const FAULT_GROUPS: readonly FaultGroup[] = [
  NAMES,
  VALUES,
  CONFLICTS,
  PROXIES,
  APEXES,
  CAA,
  SERVERS,
  WILDCARDS,
  HARMLESS,
];
