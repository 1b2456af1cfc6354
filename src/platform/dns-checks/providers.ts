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
  /** The labels of a record's fields. */
  nameField: string;
  valueField: string;
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

/** By default, the labels are those of the DNS, and an apex is `@`. */
const provider = (
  name: string,
  nameServers: Provider["nameServers"],
  where: string,
  more: Partial<Provider>,
): Provider => ({
  name,
  nameServers,
  where,
  nameField: "Name",
  valueField: "Value",
  apexName: "@",
  ...more,
});

/** When the table was last compared. Panels change more often than name servers. */
export const PROVIDERS_COMPARED = "2026-11-23";

/**
 * 20 of the largest providers, chosen after counts of NS records from 2025 and 2026 (reconwave.com and domainsproject.org). The
 * fields of Namecheap, Hostinger, IONOS and Gandi are as in their help; those of the others were not compared with their pages.
 * Whether an apex can have an alias is as in the provider table of dnscontrol, and for Hostinger and IONOS as in their help.
 */
export const PROVIDERS: readonly Provider[] = [
  provider("GoDaddy", ["domaincontrol.com"], "Domain Portfolio, the domain, DNS", { add: "Add New Record" }),
  provider("Cloudflare", ["ns.cloudflare.com"], "the domain, DNS, Records", {
    add: "Add record",
    valueField: "Target",
    apexType: "CNAME",
    terraform: "cloudflare",
  }),
  provider("Namecheap", ["registrar-servers.com"], "Domain List, Manage, Advanced DNS", {
    add: "Add New Record",
    nameField: "Host",
    apexType: "ALIAS",
  }),
  provider("Hostinger", ["dns-parking.com"], "Domains, the domain, DNS / Nameservers", {
    valueField: "Target",
    apexType: "CNAME",
  }),
  provider("IONOS", [/\.ui-dns\.(?:biz|com|de|org)$/], "Domains & SSL, the gear beside the domain, DNS", {
    add: "Add record",
    nameField: "Hostname",
    valueField: "Points to",
  }),
  provider("Amazon Route 53", [/\.awsdns-[0-9]+\.(?:com|net|org|co\.uk)$/], "Hosted zones, the zone", {
    add: "Create record",
    nameField: "Record name",
    apexName: "",
    listsWholeNames: true,
    wantsQuotes: true,
    terraform: "route53",
  }),
  provider(
    "Squarespace or Google Cloud DNS",
    ["googledomains.com", "squarespacedns.com"],
    "the domain, DNS, DNS Settings (in Google Cloud: Cloud DNS, the zone)",
    {
      add: "Add record (in Google Cloud: Add standard)",
      nameField: "Host or DNS name",
      valueField: "Data or Canonical name",
      apexType: "ALIAS",
    },
  ),
  provider("OVHcloud", ["ovh.net", "anycast.me"], "Web Cloud, Domain names, the domain, DNS zone", {
    add: "Add an entry",
    nameField: "Sub-domain",
    valueField: "Target",
    apexName: "",
    needsFinalDot: true,
  }),
  provider("Wix", ["wixdns.net"], "Domains, the domain's menu, Manage DNS Records", {
    add: "Add Record",
    nameField: "Host Name",
    apexName: "",
  }),
  provider("Azure DNS", [/\.azure-dns\.(?:com|info|net|org)$/], "DNS zones, the zone, Record sets", {
    add: "Add",
    valueField: "Alias",
  }),
  provider("DigitalOcean", ["digitalocean.com"], "Networking, Domains, the domain", {
    nameField: "Hostname",
    valueField: "Is an alias of",
  }),
  provider("Gandi", ["gandi.net"], "Domain, the domain, DNS Records", {
    add: "Add record",
    valueField: "Hostname",
    apexType: "ALIAS",
    needsFinalDot: true,
  }),
  provider("Hetzner", [/\.ns\.hetzner\.(?:com|de)$/], "DNS, the zone", {
    add: "Add record",
    needsFinalDot: true,
  }),
  provider("Porkbun", ["ns.porkbun.com"], "Domain Management, the domain, DNS", {
    nameField: "Host",
    valueField: "Answer",
    apexName: "",
    apexType: "ALIAS",
  }),
  provider("Alibaba Cloud", ["alidns.com", "hichina.com"], "Alibaba Cloud DNS, the domain", {
    add: "Add Record",
    nameField: "Hostname",
    valueField: "Record Value",
  }),
  provider("DNSPod", ["dnspod.net"], "My Domains, the domain", { add: "Add Record", nameField: "Host" }),
  provider("Name.com", ["name.com"], "My Domains, the domain, Manage DNS Records", {
    nameField: "Host",
    valueField: "Answer",
    apexName: "",
    apexType: "ANAME",
  }),
  provider("Vercel", ["vercel-dns.com"], "Domains, the domain, DNS Records", {
    add: "Add",
    apexType: "ALIAS",
  }),
  provider("Netlify or NS1", ["nsone.net"], "Domains, the domain, DNS records", {
    add: "Add new record",
    apexType: "ALIAS",
  }),
  provider("Bluehost", ["bluehost.com"], "Domains, the domain, DNS", {
    add: "Add Record",
    nameField: "Host Record",
    valueField: "Points To",
  }),
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
