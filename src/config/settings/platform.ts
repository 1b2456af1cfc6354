import { parseLimits } from "../../lib/acme-limits.ts";
import { parseServer } from "../../protocols/dns/network.ts";
import {
  address,
  anyText,
  atLeastOne,
  bytes,
  hostName,
  integer,
  ipAddress,
  listOf,
  mailAddress,
  safeUrl,
} from "../parse.ts";
import { FREE_PORT, PORT, TOGGLE, settings } from "../setting.ts";

/** HTTPS and its certificates. */
export const HTTPS = settings({
  httpsPort: {
    type: "number",
    placeholder: "port",
    example: "443",
    form: "a port from 0 to 65535, 443 in production",
    help: "port for HTTPS, 443 in production; without it there is no HTTPS",
    parse: integer(0, 65_535),
  },
  httpPort: {
    type: "number",
    placeholder: "port",
    example: "80",
    form: "a port from 0 to 65535, 80 in production",
    help: "second port for HTTP, 80 in production: responds to CAs and redirects visitors to HTTPS",
    parse: integer(0, 65_535),
  },
  acmeDirectory: {
    type: "list",
    placeholder: "urls",
    fallback: "https://acme-v02.api.letsencrypt.org/directory",
    form: "a comma-separated list of addresses, such as https://acme-v02.api.letsencrypt.org/directory",
    help: "ACME directories of CAs, tried in turn",
    parse: listOf(safeUrl),
  },
  acmeLimits: {
    type: "list",
    placeholder: "limits",
    example: "orders=5000/3h",
    form: "a comma-separated list with one entry per CA: letsencrypt, letsencrypt-staging or none, or changes such as orders=5000/3h domain=none; windows are at most 7d",
    help: "limits on requests to the CAs, in the order of ACME_DIRECTORY; by default the published ones",
    parse: parseLimits,
  },
  acmeAgreeTos: {
    ...TOGGLE,
    fallback: "false",
    help: "agree to the terms of service of the CAs; without it no certificate is ordered",
  },
  acmeEmail: {
    placeholder: "email",
    example: "ops@example.org",
    form: "an email address",
    help: "email address at which the CAs can reach you",
    parse: mailAddress,
  },
  acmeCaFile: {
    placeholder: "file",
    example: "ca.pem",
    form: "a file of PEM certificates",
    help: "PEM file of CA certificates to trust for ACME_DIRECTORY, for a private CA",
    parse: anyText,
  },
  acmeEabKid: {
    placeholder: "id",
    example: "kid-1",
    form: "a key identifier",
    help: "key identifier of the external account binding, for CAs that require one",
    parse: anyText,
  },
  acmeEabHmac: {
    placeholder: "key",
    isSecret: true,
    example: "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W",
    form: "a key in base64url",
    help: "key that belongs to ACME_EAB_KID; other users of the machine can see flags, so use the variable or the file",
    parse: (text) => (/^[\w-]{16,512}=*$/.test(text) ? text : undefined),
  },
  acmeProfile: {
    placeholder: "name",
    example: "shortlived",
    form: "the name of a profile, such as shortlived",
    help: "certificate profile to order, such as shortlived for six days; without it the CA's default profile",
    parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
  },
  acmeHttpPort: {
    ...PORT,
    fallback: "80",
    help: "port at which CAs fetch challenges over HTTP; change it only for tests",
  },
  acmeTlsPort: {
    ...PORT,
    fallback: "443",
    help: "port at which CAs fetch challenges over TLS; change it only for tests",
  },
  dnsChallengeHook: {
    placeholder: "file",
    example: "/usr/local/bin/dns-challenge",
    form: "the path of a program",
    help: "program that adds and removes TXT records below PLATFORM_DOMAIN, to prove the domain for a wildcard certificate",
    parse: anyText,
  },
  dnsUpdateServer: {
    placeholder: "address",
    example: "192.0.2.53",
    form: "an address, such as 192.0.2.53 or [2001:db8::53]:5353",
    help: "primary name server that takes dynamic updates (RFC 2136) below PLATFORM_DOMAIN, for a wildcard certificate",
    parse: (text) => (parseServer(text) ? text : undefined),
  },
  dnsUpdateKeyFile: {
    placeholder: "file",
    example: "/etc/adoption-store/update.key",
    form: "the path of a file that tsig-keygen has written",
    help: "file with the TSIG key (hmac-sha256) for DNS_UPDATE_SERVER",
    parse: anyText,
  },
  dnsUpdateZone: {
    placeholder: "domain",
    example: "example.org",
    form: "a domain name, such as example.org",
    help: "zone at DNS_UPDATE_SERVER that holds PLATFORM_DOMAIN; without it PLATFORM_DOMAIN itself",
    parse: hostName,
  },
  hstsMaxAge: {
    type: "number",
    placeholder: "seconds",
    fallback: "31536000",
    form: "a number of seconds from 0 to 63072000",
    help: "maximum max-age of Strict-Transport-Security, which is sent after the first successful renewal; 0 turns it off",
    parse: integer(0, 63_072_000),
  },
  caaIssuers: {
    type: "list",
    placeholder: "domains",
    fallback: "letsencrypt.org",
    form: "a comma-separated list of domain names, such as letsencrypt.org",
    help: "names of the CAs in CAA records",
    parse: atLeastOne(listOf(hostName)),
  },
});

/** Projects, deploys and custom domains. */
export const PLATFORM = settings({
  platformDomain: {
    placeholder: "domain",
    fallback: "localhost",
    form: "a domain name, such as sites.example.org",
    help: "domain of the sites: each project is published at <project>.<domain>",
    parse: hostName,
  },
  platformCnameTarget: {
    placeholder: "domain",
    example: "cname.example.org",
    form: "a domain name, such as cname.example.org",
    help: "domain that custom domains point to, as <label>.<domain>; without it cname.<PLATFORM_DOMAIN>",
    parse: hostName,
  },
  deployLimit: {
    type: "size",
    placeholder: "size",
    fallback: "100MiB",
    form: "a size from 1KiB to 1GiB, such as 100MiB",
    help: "largest archive of a deploy",
    parse: bytes(2 ** 10, 2 ** 30),
  },
  projectQuota: {
    type: "size",
    placeholder: "size",
    fallback: "10GiB",
    form: "a size from 1KiB to 1024GiB, such as 10GiB",
    help: "disk space for the deploys of one project",
    parse: bytes(2 ** 10, 2 ** 40),
  },
  publicDomainCheck: {
    ...TOGGLE,
    fallback: "false",
    help: "serve a page at /domain-check where people without a key check a domain",
  },
  domainConnectProviderId: {
    placeholder: "domain",
    example: "example.org",
    form: "a domain name of at most 63 characters, such as example.org",
    help: "domain that identifies this service to DNS providers with Domain Connect; without it, the server contacts none",
    parse: (text) => {
      const name = hostName(text);
      return name !== undefined && name.length <= 63 ? name : undefined;
    },
  },
  dnsResolvers: {
    type: "list",
    placeholder: "addresses",
    example: "192.0.2.53",
    form: "a comma-separated list of addresses, such as 192.0.2.53 or [2001:db8::53]:5353",
    help: "DNS resolvers that verify custom domains; without it those of the system",
    parse: listOf((text) => (parseServer(text) ? text : undefined)),
  },
  dnsPort: {
    ...PORT,
    fallback: "53",
    help: "port of the name servers that this service queries; change it only for tests",
  },
  dnsPrivate: {
    ...TOGGLE,
    fallback: "false",
    help: "query name servers of zones at private addresses, too",
  },
});

/** The service's own authoritative name server. */
export const NAME_SERVER = settings({
  nameserver: {
    type: "list",
    placeholder: "names",
    example: "ns1.example.org,ns2.example.org",
    form: "a comma-separated list of host names, such as ns1.example.org",
    help: "host names of the built-in name server, which serves PLATFORM_DOMAIN and PLATFORM_CNAME_TARGET; without it the server is off",
    parse: listOf(hostName),
  },
  publicAddresses: {
    type: "list",
    placeholder: "addresses",
    example: "192.0.2.10,2001:db8::10",
    form: "a comma-separated list of IP addresses, such as 192.0.2.10",
    help: "public IP addresses of this service, for the records of the name server; without it those of this machine",
    parse: listOf(ipAddress),
  },
  dnsListenPort: {
    ...FREE_PORT,
    fallback: "53",
    help: "port of the name server, over UDP and TCP; change it only for tests",
  },
  dnsListenHost: {
    placeholder: "address",
    example: "192.0.2.10",
    form: "an address or host name",
    help: "address that the name server listens on, if it differs from HOST; 0.0.0.0 and :: are all addresses but loopback",
    parse: address,
  },
});
