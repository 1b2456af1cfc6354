import { isIPv4, isIPv6 } from "node:net";
import { lruCache } from "../lib/lru.ts";

/** A name under which a site may be published. `port` includes its colon, and is "" for the scheme's own port. */
export type SiteDestination =
  /** `<slug>.<PLATFORM_DOMAIN>`. */
  | { kind: "project"; slug: string; port: string }
  /** Any other name, in lower case. It may be a custom domain. */
  | { kind: "custom"; hostname: string; port: string };

/** The destination that the Host header of a request names. */
export type Destination = SiteDestination | { kind: "api" } | { kind: "malformed" };

/** The names that the settings give to the API and to projects. */
export const hostNamesOf = ({
  baseUrl,
  apiHosts,
  platformDomain,
}: {
  baseUrl: string | undefined;
  apiHosts: readonly string[];
  platformDomain: string;
}) => ({
  platformDomain,
  /** Host names of the API, in addition to addresses and local names. */
  api: new Set([...apiHosts, ...(baseUrl ? [new URL(baseUrl).hostname] : [])]),
});

export type HostNames = ReturnType<typeof hostNamesOf>;

const API: Destination = { kind: "api" };
const MALFORMED: Destination = { kind: "malformed" };

/** `uri-host [ ":" port ]` (RFC 9110 section 7.2), without user information, percent-encodings and sub-delimiters. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{0,5}))?$/i;
const LABELS = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;
/** RFC 1035 section 2.3.4, without the root's empty label. */
const MAX_NAME_LENGTH = 253;
const MAX_PORT = 65_535;
/** A name with its port. A longer header is malformed. */
const MAX_HOST_LENGTH = MAX_NAME_LENGTH + ".:65535".length;

/** True for names that the public DNS does not have: single labels, and names of mDNS (RFC 6762). */
const isLocal = (name: string): boolean => !name.includes(".") || name.endsWith(".local");

/** The default ports of `http:` and `https:`. */
const SCHEME_PORTS: ReadonlySet<number> = new Set([80, 443]);

const portSuffix = (port: string): string =>
  port === "" || SCHEME_PORTS.has(Number(port)) ? "" : `:${Number(port)}`;

const parseHostName = (name: string, port: string, { platformDomain, api }: HostNames): Destination => {
  if (name.length > MAX_NAME_LENGTH || !LABELS.test(name)) return MALFORMED;
  if (api.has(name) || isIPv4(name)) return API;
  const slug = name.endsWith(`.${platformDomain}`) ? name.slice(0, -platformDomain.length - 1) : "";
  if (slug !== "") return { kind: "project", slug, port };
  return isLocal(name) ? API : { kind: "custom", hostname: name, port };
};

/**
 * Parses a Host header. An empty or missing one, as in HTTP/1.0, asks for the API: operators' tools send that, and browsers
 * cannot. Two headers arrive as one with a comma, which is malformed (RFC 9112 section 3.2: 400). A target in absolute form
 * should override the Host header (section 3.2.2), but Bun 1.4.4 keeps only its path, so the Host decides there too.
 */
export const parseHostHeader = (host: string | null, names: HostNames): Destination => {
  if (host === null || host === "") return API;
  if (host.length > MAX_HOST_LENGTH) return MALFORMED;
  const [, address, name = "", port = ""] = HOST.exec(host) ?? [];
  if (Number(port) > MAX_PORT) return MALFORMED;
  if (address !== undefined) return isIPv6(address) ? API : MALFORMED;
  // A final dot marks a name as complete; it is the same name.
  return parseHostName(name.toLowerCase().replace(/\.$/, ""), portSuffix(port), names);
};

/** The name in a Host header, in lower case, without its port and a final dot. */
export const requestedName = (host: string | null): string =>
  (host ?? "").replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();

const MAX_CACHED_HOSTS = 1000;

/** A cached `parseHostHeader`. */
export const hostParser = (names: HostNames): ((host: string | null) => Destination) => {
  const cache = lruCache<string, Destination>({ maxEntries: MAX_CACHED_HOSTS });
  return (host) => {
    if (host === null) return API;
    const cached = cache.get(host);
    if (cached) return cached;
    const destination = parseHostHeader(host, names);
    if (host.length <= MAX_HOST_LENGTH) cache.set(host, destination);
    return destination;
  };
};
