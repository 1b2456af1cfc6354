import { isIPv4, isIPv6 } from "node:net";

/** A name that something may be published under; `port` has its colon, and is "" for that of the scheme. */
export type SiteDestination =
  /** `<slug>.<PLATFORM_DOMAIN>`. */
  | { kind: "project"; slug: string; port: string }
  /** Any other name, in lower case: a custom domain, if it is one. */
  | { kind: "custom"; hostname: string; port: string };

/** Where a request belongs, by its Host header alone. */
export type Destination = SiteDestination | { kind: "api" } | { kind: "malformed" };

export interface HostNames {
  platformDomain: string;
  /** Host names of the API, beside addresses and local names. */
  api: ReadonlySet<string>;
}

/** The names that the Host header is compared with, as the settings say. */
export const hostNamesOf = ({
  baseUrl,
  apiHosts,
  platformDomain,
}: {
  baseUrl: string | undefined;
  apiHosts: readonly string[];
  platformDomain: string;
}): HostNames => ({
  platformDomain,
  api: new Set([...apiHosts, ...(baseUrl ? [new URL(baseUrl).hostname] : [])]),
});

const API: Destination = { kind: "api" };
const MALFORMED: Destination = { kind: "malformed" };

/** `uri-host [ ":" port ]` (RFC 9110 section 7.2), without user information, percent-encodings and sub-delimiters. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{0,5}))?$/i;
const LABELS = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;
/** RFC 1035 section 2.3.4, without the root's empty label. */
const NAME_LENGTH = 253;
const LAST_PORT = 65_535;
/** A name with its port, or an address with its brackets and its port: what is longer is not looked at. */
const HOST_LENGTH = NAME_LENGTH + ".:65535".length;

/** Names that no public DNS has: single labels, mDNS (RFC 6762). */
const isLocal = (name: string): boolean => !name.includes(".") || name.endsWith(".local");

/** Of `http:` and `https:`. */
const SCHEME_PORTS: ReadonlySet<number> = new Set([80, 443]);

const shownPort = (port: string): string =>
  port === "" || SCHEME_PORTS.has(Number(port)) ? "" : `:${Number(port)}`;

const placeOfName = (name: string, port: string, { platformDomain, api }: HostNames): Destination => {
  if (name.length > NAME_LENGTH || !LABELS.test(name)) return MALFORMED;
  if (api.has(name) || isIPv4(name)) return API;
  const slug = name.endsWith(`.${platformDomain}`) ? name.slice(0, -platformDomain.length - 1) : "";
  if (slug !== "") return { kind: "project", slug, port };
  return isLocal(name) ? API : { kind: "custom", hostname: name, port };
};

/**
 * Reads a Host header. None at all, as in HTTP/1.0, or an empty one asks for the API, which an operator's tools do and a
 * browser cannot; two headers come as one with a comma, which no host has (RFC 9112 section 3.2: 400). Of a target in
 * absolute form, whose authority should win (section 3.2.2), Bun 1.4.4 keeps only the path: the Host decides there too.
 */
export const destinationOf = (host: string | null, names: HostNames): Destination => {
  if (host === null || host === "") return API;
  if (host.length > HOST_LENGTH) return MALFORMED;
  const [, address, name = "", port = ""] = HOST.exec(host) ?? [];
  if (Number(port) > LAST_PORT) return MALFORMED;
  if (address !== undefined) return isIPv6(address) ? API : MALFORMED;
  // A final dot says that the name is complete; it is the same name.
  return placeOfName(name.toLowerCase().replace(/\.$/, ""), shownPort(port), names);
};

/** Most headers that are remembered: there are few, or they are a stranger's. */
const MAX_REMEMBERED = 1000;

/** The same, remembering what was read last. */
export const hostParser = (names: HostNames): ((host: string | null) => Destination) => {
  const known = new Map<string, Destination>();
  return (host) => {
    if (host === null) return API;
    const remembered = known.get(host);
    if (remembered) return remembered;
    const place = destinationOf(host, names);
    if (known.size >= MAX_REMEMBERED) known.clear();
    if (host.length <= HOST_LENGTH) known.set(host, place);
    return place;
  };
};
