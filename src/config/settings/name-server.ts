import { address, hostName, integer, ipAddress, listOf, optional } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** The service's own authoritative name server. */
export const NAME_SERVER = {
  nameserver: {
    env: "NAMESERVER",
    flag: "nameserver",
    type: "list",
    placeholder: "names",
    fallback: "",
    example: "ns1.example.org,ns2.example.org",
    form: "a comma-separated list of host names, such as ns1.example.org",
    help: "host names of the built-in name server, which serves PLATFORM_DOMAIN and PLATFORM_CNAME_TARGET; without it the server is off",
    parse: listOf(hostName),
  },
  publicAddresses: {
    env: "PUBLIC_ADDRESSES",
    flag: "public-addresses",
    type: "list",
    placeholder: "addresses",
    fallback: "",
    example: "192.0.2.10,2001:db8::10",
    form: "a comma-separated list of IP addresses, such as 192.0.2.10",
    help: "public IP addresses of this service, for the records of the name server; without it those of this machine",
    parse: listOf(ipAddress),
  },
  dnsListenPort: {
    env: "DNS_LISTEN_PORT",
    flag: "dns-listen-port",
    type: "number",
    placeholder: "port",
    fallback: "53",
    form: "a port from 0 to 65535",
    help: "port of the name server, over UDP and TCP; change it only for tests",
    parse: integer(0, 65_535),
  },
  dnsListenHost: {
    env: "DNS_LISTEN_HOST",
    flag: "dns-listen-host",
    type: "text",
    placeholder: "address",
    fallback: "",
    example: "192.0.2.10",
    form: "an address or host name",
    help: "address that the name server listens on, if it differs from HOST; 0.0.0.0 and :: are all addresses but loopback",
    parse: optional(address),
  },
} as const satisfies Record<string, Setting>;
