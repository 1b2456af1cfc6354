import { parseServer } from "../../protocols/dns/server-address.ts";
import { bytes, hostName, integer, listOf, optional, boolean } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** Projects, deploys and custom domains. */
export const PLATFORM = {
  platformDomain: {
    env: "PLATFORM_DOMAIN",
    flag: "platform-domain",
    fallback: "localhost",
    form: "a domain name, such as sites.example.org",
    help: "projects are published at <slug>.<this>",
    parse: hostName,
  },
  platformCnameTarget: {
    env: "PLATFORM_CNAME_TARGET",
    flag: "platform-cname-target",
    fallback: "",
    form: "a domain name, such as cname.example.org",
    help: "custom domains point to <label>.<this>; by default cname.<PLATFORM_DOMAIN>",
    parse: optional(hostName),
  },
  console: {
    env: "CONSOLE",
    flag: "console",
    fallback: "on",
    form: "on or off",
    help: "off: no web console at /console",
    parse: boolean,
  },
  apiHosts: {
    env: "API_HOSTS",
    flag: "api-hosts",
    fallback: "",
    form: "a comma-separated list of host names, such as adopt.example.org",
    help: "more host names of the API, besides BASE_URL's, IP addresses and local names",
    parse: listOf(hostName),
  },
  deployLimit: {
    env: "DEPLOY_LIMIT",
    flag: "deploy-limit",
    fallback: "100MiB",
    form: "a size from 1KiB to 1GiB, such as 100MiB",
    help: "largest archive of a deploy",
    parse: bytes(2 ** 10, 2 ** 30),
  },
  projectQuota: {
    env: "PROJECT_QUOTA",
    flag: "project-quota",
    fallback: "10GiB",
    form: "a size from 1KiB to 1024GiB, such as 10GiB",
    help: "disk space for the deploys of one project",
    parse: bytes(2 ** 10, 2 ** 40),
  },
  dnsResolvers: {
    env: "DNS_RESOLVERS",
    flag: "dns-resolvers",
    fallback: "",
    form: "a comma-separated list of addresses, such as 192.0.2.53 or [2001:db8::53]:5353",
    help: "resolvers that verify custom domains; by default the system's",
    parse: listOf((text) => (parseServer(text) ? text : undefined)),
  },
  dnsPort: {
    env: "DNS_PORT",
    flag: "dns-port",
    fallback: "53",
    form: "a port from 1 to 65535",
    help: "port of name servers",
    parse: integer(1, 65_535),
  },
  dnsPrivate: {
    env: "DNS_PRIVATE",
    flag: "dns-private",
    fallback: "no",
    form: "yes or no",
    help: "yes: name servers of zones may have private addresses",
    parse: boolean,
  },
} as const satisfies Record<string, Setting>;
