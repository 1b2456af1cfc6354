import { isInNetworks, networks } from "../../protocols/dns/address.ts";

/** A company that hosts zones, and its instructions to create a record. */
export interface Provider {
  name: string;
  /** The ends of the names of its name servers. */
  nameServers: readonly (string | RegExp)[];
  /** The path to the records, from the first page on. */
  where: string;
  /** The label of the button for a new record; absent if undocumented. */
  add?: string;
  /** The names of a record's fields. */
  fields: { name: string; value: string };
  /** The record type for an apex, whose addresses then follow the target; undefined if the provider has none. */
  apexType?: "CNAME" | "ALIAS" | "ANAME";
  /** The value of an apex's name field; "" leaves the field empty. */
  apexName: "@" | "";
  /** True if a value without a final dot is read as a name below the zone. */
  needsFinalDot?: true;
  /** True if the list of records shows whole names. */
  listsWholeNames?: true;
  /** True if a TXT value must be in quotation marks. */
  wantsQuotes?: true;
  /** Which Terraform block fits. */
  terraform?: "cloudflare" | "route53";
}

/** When the table was last compared. Panels change more often than name servers. */
export const PROVIDERS_COMPARED = "2026-11-23";

/**
 * 20 of the largest providers, chosen after counts of NS records from 2025 and 2026 (reconwave.com and domainsproject.org). The
 * fields of Namecheap, Hostinger, IONOS and Gandi are as in their help; those of the others were not compared with their pages.
 * Whether an apex can have an alias is as in the provider table of dnscontrol, and for Hostinger and IONOS as in their help.
 */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "GoDaddy",
    nameServers: ["domaincontrol.com"],
    where: "Domain Portfolio, the domain, DNS",
    add: "Add New Record",
    fields: { name: "Name", value: "Value" },
    apexName: "@",
  },
  {
    name: "Cloudflare",
    nameServers: ["ns.cloudflare.com"],
    where: "the domain, DNS, Records",
    add: "Add record",
    fields: { name: "Name", value: "Target" },
    apexType: "CNAME",
    apexName: "@",
    terraform: "cloudflare",
  },
  {
    name: "Namecheap",
    nameServers: ["registrar-servers.com"],
    where: "Domain List, Manage, Advanced DNS",
    add: "Add New Record",
    fields: { name: "Host", value: "Value" },
    apexType: "ALIAS",
    apexName: "@",
  },
  {
    name: "Hostinger",
    nameServers: ["dns-parking.com"],
    where: "Domains, the domain, DNS / Nameservers",
    fields: { name: "Name", value: "Target" },
    apexType: "CNAME",
    apexName: "@",
  },
  {
    name: "IONOS",
    nameServers: [/\.ui-dns\.(?:biz|com|de|org)$/],
    where: "Domains & SSL, the gear beside the domain, DNS",
    add: "Add record",
    fields: { name: "Hostname", value: "Points to" },
    apexName: "@",
  },
  {
    name: "Amazon Route 53",
    nameServers: [/\.awsdns-[0-9]+\.(?:com|net|org|co\.uk)$/],
    where: "Hosted zones, the zone",
    add: "Create record",
    fields: { name: "Record name", value: "Value" },
    apexName: "",
    listsWholeNames: true,
    wantsQuotes: true,
    terraform: "route53",
  },
  {
    name: "Squarespace or Google Cloud DNS",
    nameServers: ["googledomains.com", "squarespacedns.com"],
    where: "the domain, DNS, DNS Settings (in Google Cloud: Cloud DNS, the zone)",
    add: "Add record (in Google Cloud: Add standard)",
    fields: { name: "Host or DNS name", value: "Data or Canonical name" },
    apexType: "ALIAS",
    apexName: "@",
  },
  {
    name: "OVHcloud",
    nameServers: ["ovh.net", "anycast.me"],
    where: "Web Cloud, Domain names, the domain, DNS zone",
    add: "Add an entry",
    fields: { name: "Sub-domain", value: "Target" },
    apexName: "",
    needsFinalDot: true,
  },
  {
    name: "Wix",
    nameServers: ["wixdns.net"],
    where: "Domains, the domain's menu, Manage DNS Records",
    add: "Add Record",
    fields: { name: "Host Name", value: "Value" },
    apexName: "",
  },
  {
    name: "Azure DNS",
    nameServers: [/\.azure-dns\.(?:com|info|net|org)$/],
    where: "DNS zones, the zone, Record sets",
    add: "Add",
    fields: { name: "Name", value: "Alias" },
    apexName: "@",
  },
  {
    name: "DigitalOcean",
    nameServers: ["digitalocean.com"],
    where: "Networking, Domains, the domain",
    fields: { name: "Hostname", value: "Is an alias of" },
    apexName: "@",
  },
  {
    name: "Gandi",
    nameServers: ["gandi.net"],
    where: "Domain, the domain, DNS Records",
    add: "Add record",
    fields: { name: "Name", value: "Hostname" },
    apexType: "ALIAS",
    apexName: "@",
    needsFinalDot: true,
  },
  {
    name: "Hetzner",
    nameServers: [/\.ns\.hetzner\.(?:com|de)$/],
    where: "DNS, the zone",
    add: "Add record",
    fields: { name: "Name", value: "Value" },
    apexName: "@",
    needsFinalDot: true,
  },
  {
    name: "Porkbun",
    nameServers: ["ns.porkbun.com"],
    where: "Domain Management, the domain, DNS",
    fields: { name: "Host", value: "Answer" },
    apexType: "ALIAS",
    apexName: "",
  },
  {
    name: "Alibaba Cloud",
    nameServers: ["alidns.com", "hichina.com"],
    where: "Alibaba Cloud DNS, the domain",
    add: "Add Record",
    fields: { name: "Hostname", value: "Record Value" },
    apexName: "@",
  },
  {
    name: "DNSPod",
    nameServers: ["dnspod.net"],
    where: "My Domains, the domain",
    add: "Add Record",
    fields: { name: "Host", value: "Value" },
    apexName: "@",
  },
  {
    name: "Name.com",
    nameServers: ["name.com"],
    where: "My Domains, the domain, Manage DNS Records",
    fields: { name: "Host", value: "Answer" },
    apexType: "ANAME",
    apexName: "",
  },
  {
    name: "Vercel",
    nameServers: ["vercel-dns.com"],
    where: "Domains, the domain, DNS Records",
    add: "Add",
    fields: { name: "Name", value: "Value" },
    apexType: "ALIAS",
    apexName: "@",
  },
  {
    name: "Netlify or NS1",
    nameServers: ["nsone.net"],
    where: "Domains, the domain, DNS records",
    add: "Add new record",
    fields: { name: "Name", value: "Value" },
    apexType: "ALIAS",
    apexName: "@",
  },
  {
    name: "Bluehost",
    nameServers: ["bluehost.com"],
    where: "Domains, the domain, DNS",
    add: "Add Record",
    fields: { name: "Host Record", value: "Points To" },
    apexName: "@",
  },
];

const isOf =
  ({ nameServers }: Provider) =>
  (name: string): boolean =>
    nameServers.some((end) => (typeof end === "string" ? `.${name}`.endsWith(`.${end}`) : end.test(name)));

/**
 * The provider of a zone; undefined if it is not in the table, or if the name servers are of several providers.
 * @param names of the zone's name servers, in lower case
 */
export const providerOf = (names: readonly string[]): Provider | undefined =>
  names.length === 0 ? undefined : PROVIDERS.find((provider) => names.every(isOf(provider)));

/** A company whose proxy hides the origin's records. */
interface Proxy {
  provider: string;
  /** The setting that switches it off for a record. */
  setting: string;
  networks: ReturnType<typeof networks>;
}

/**
 * Proxies that show their own addresses instead of the origin's record. The networks are those of
 * https://www.cloudflare.com/ips-v4 and ips-v6, compared with public copies on 2026-11-23. Fastly and CloudFront are left out:
 * their users point the record at them, so such an address is simply a wrong record.
 */
const PROXIES: readonly Proxy[] = [
  {
    provider: "Cloudflare",
    setting: '"DNS only" (the grey cloud)',
    networks: networks([
      "173.245.48.0/20",
      "103.21.244.0/22",
      "103.22.200.0/22",
      "103.31.4.0/22",
      "141.101.64.0/18",
      "108.162.192.0/18",
      "190.93.240.0/20",
      "188.114.96.0/20",
      "197.234.240.0/22",
      "198.41.128.0/17",
      "162.158.0.0/15",
      "104.16.0.0/13",
      "104.24.0.0/14",
      "172.64.0.0/13",
      "131.0.72.0/22",
      "2400:cb00::/32",
      "2606:4700::/32",
      "2803:f800::/32",
      "2405:b500::/32",
      "2405:8100::/32",
      "2a06:98c0::/29",
      "2c0f:f248::/32",
    ]),
  },
];

/** The setting that switches a proxy off for a record. */
export const settingOf = (provider: string): string =>
  PROXIES.find((proxy) => proxy.provider === provider)?.setting ?? "DNS only";

/** The proxy that all of these addresses belong to; undefined if they belong to no listed one. */
export const proxyOf = (addresses: readonly string[]): Proxy | undefined =>
  addresses.length === 0
    ? undefined
    : PROXIES.find((proxy) => addresses.every((address) => isInNetworks(address, proxy.networks)));
