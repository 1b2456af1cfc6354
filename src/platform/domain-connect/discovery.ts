import { parseHostname } from "../../lib/hostname.ts";
import { limitedFetch } from "../../lib/limited-fetch.ts";
import { printable } from "../../lib/text.ts";
import { type DnsAccess, resolveWith } from "../../protocols/dns/authoritative.ts";
import { type Resolve, followCnames, resolveAddresses } from "../../protocols/dns/cname-chain.ts";
import { type Template, isDeployed } from "./template.ts";
import { attempt } from "../../lib/attempt.ts";

const LIMITS = { timeoutMs: 3000, maxBytes: 64 * 1024 };
const MAX_URL_LENGTH = 1000;

/** https, a host and a path (RFC 3986), without user, query or fragment. */
const PREFIX = /^https:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?(?:\/[\w.~!$&'()*+,;=:@%-]*)*$/i;

/** HTTPS servers whose host names any domain owner can choose: the records of a zone name them. */
interface UntrustedHosts {
  /** Parses a URL to which paths are appended. Undefined if the draft or this service does not allow it. */
  parsePrefix(text: unknown): string | undefined;
  /** The public addresses of a host. */
  addressesOf(hostname: string): Promise<string[]>;
  /** Fetches a URL. @returns undefined unless the response is 200 @throws Error if the host is private, or does not respond in time */
  get(url: string): Promise<string | undefined>;
}

type LimitedFetch = ReturnType<typeof limitedFetch>;

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

/** A DNS provider that supports Domain Connect for a zone. */
export interface ConnectProvider {
  /** Safe to show. */
  name: string;
  /** Where people apply templates. The path of the template is appended to this URL. */
  syncUrl: string;
  /** The URL of its API, to which paths are appended too. */
  apiUrl: string;
}

/** A zone can have any number of records, and each causes requests. */
const MAX_RECORDS = 2;
const MAX_NAME_LENGTH = 60;
/** The settings that this service reads. */
const UNDERSTOOD: ReadonlySet<unknown> = new Set([
  "providerId",
  "providerName",
  "providerDisplayName",
  "urlSyncUX",
  "urlAPI",
  "nameServers",
]);

const parseJson = (text: string | undefined): unknown =>
  text === undefined ? undefined : attempt((): unknown => JSON.parse(text));

/** Section "Settings Property Extensibility": a client must understand the settings that `crit` lists. */
const isUnderstood = (settings: Record<string, unknown>): boolean => {
  const { crit = [] } = settings;
  return Array.isArray(crit) && crit.every((name) => UNDERSTOOD.has(name) || !(String(name) in settings));
};

export const templatePath = ({ providerId, serviceId }: Pick<Template, "providerId" | "serviceId">): string =>
  `/v2/domainTemplates/providers/${encodeURIComponent(providerId)}/services/${serviceId}`;

export interface Discovery {
  /** The provider of a zone; undefined if it does not support the synchronous flow. */
  providerOf(zone: string): Promise<ConnectProvider | undefined>;
  /** True if a provider can apply a template. */
  supports(provider: ConnectProvider, template: Template): Promise<boolean>;
}

/** Asks the DNS and the API of a zone's provider (draft-ietf-dconn-domainconnect-05, "DNS Provider Discovery"). After a failure, nothing can be offered. */
export const discovery = (
  resolve: Resolve,
  { parsePrefix, addressesOf, get }: Pick<UntrustedHosts, "parsePrefix" | "addressesOf" | "get">,
): Discovery => {
  const parseSettings = (settings: unknown): ConnectProvider | undefined => {
    if (typeof settings !== "object" || settings === null) return undefined;
    const fields = settings as Record<string, unknown>;
    const name = fields["providerDisplayName"] ?? fields["providerName"];
    const [syncUrl, apiUrl] = [parsePrefix(fields["urlSyncUX"]), parsePrefix(fields["urlAPI"])];
    if (typeof name !== "string" || name.trim() === "" || !syncUrl || !apiUrl) return undefined;
    return isUnderstood(fields)
      ? { name: printable(name.trim(), MAX_NAME_LENGTH), syncUrl, apiUrl }
      : undefined;
  };

  const settingsAt = async (prefix: string, zone: string): Promise<ConnectProvider | undefined> => {
    const provider = parseSettings(parseJson(await get(`${prefix}/v2/${zone}/settings`)));
    // Browsers are redirected there, and must not reach a private network.
    const isPublic = provider && (await addressesOf(new URL(provider.syncUrl).hostname)).length > 0;
    return isPublic ? provider : undefined;
  };

  return {
    async providerOf(zone) {
      const { records } = await followCnames(resolve, `_domainconnect.${zone}`, "TXT");
      const prefixes = records.flatMap(({ type, data }) =>
        type === "TXT" ? (parsePrefix(`https://${data}`) ?? []) : [],
      );
      for (const prefix of prefixes.slice(0, MAX_RECORDS)) {
        const provider = await settingsAt(prefix, zone).catch(() => undefined);
        if (provider) return provider;
      }
      return undefined;
    },
    async supports({ apiUrl }, template) {
      const text = await get(apiUrl + templatePath(template)).catch(() => undefined);
      return text !== undefined && isDeployed(parseJson(text), template);
    },
  };
};
