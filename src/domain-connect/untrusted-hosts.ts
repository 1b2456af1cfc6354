import { parseHostname } from "../lib/hostname.ts";
import { limitedFetch } from "../lib/limited-fetch.ts";
import { type DnsAccess, resolveWith } from "../protocols/dns/authoritative.ts";
import { resolveAddresses } from "../protocols/dns/cname-chain.ts";

const LIMITS = { timeoutMs: 3000, maxBytes: 64 * 1024 };
const MAX_URL_LENGTH = 1000;

/** https, a host and a path (RFC 3986), without user, query or fragment. */
const PREFIX = /^https:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?(?:\/[\w.~!$&'()*+,;=:@%-]*)*$/i;

/** HTTPS servers whose host names anybody can choose: the records of a zone name them. */
export interface UntrustedHosts {
  /** Parses a URL to which paths are appended. Undefined if the draft or this service does not allow it. */
  parsePrefix(text: unknown): string | undefined;
  /** The public addresses of a host. */
  addressesOf(hostname: string): Promise<string[]>;
  /** Fetches a URL. @returns undefined unless the response is 200 @throws Error if the host is private, or does not respond in time */
  get(url: string): Promise<string | undefined>;
}

export type LimitedFetch = ReturnType<typeof limitedFetch>;

/** @param allowsPrivate true in tests: then a URL can also have a port */
export const untrustedHosts = (
  dns: DnsAccess,
  allowsPrivate: boolean,
  fetchWithin: LimitedFetch = limitedFetch(LIMITS),
): UntrustedHosts => {
  const resolve = resolveWith(dns);
  const addressesOf = async (hostname: string): Promise<string[]> =>
    (await resolveAddresses(resolve, hostname)).filter(dns.mayAsk);

  return {
    parsePrefix(text) {
      if (typeof text !== "string" || text.length > MAX_URL_LENGTH) return undefined;
      if (!PREFIX.test(text) || !URL.canParse(text)) return undefined;
      const { hostname, port, href } = new URL(text);
      if (!parseHostname(hostname).ok || (port !== "" && !allowsPrivate)) return undefined;
      return href.replace(/\/+$/, "");
    },
    addressesOf,
    async get(text) {
      const url = new URL(text);
      const [address] = await addressesOf(url.hostname);
      if (address === undefined) throw new Error(`${url.hostname} has no public address`);
      // The address itself: another lookup of the name could give a private one.
      const target = new URL(url);
      target.hostname = address.includes(":") ? `[${address}]` : address;
      const response = await fetchWithin(target, {
        headers: {
          host: url.host,
          accept: "application/json, application/domainconnect-template+json",
          "accept-encoding": "identity",
        },
        // A kilobyte of compressed text can become a megabyte before its size is seen.
        decompress: false,
        tls: { serverName: url.hostname },
        keepalive: false,
        // A proxy from the environment could refuse an address.
        proxy: false,
      });
      return response.status === 200 ? response.text() : undefined;
    },
  };
};
