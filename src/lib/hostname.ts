import { domainToASCII, domainToUnicode } from "node:url";

// Names in the DNS.

/** RFC 4343: names compare without case in ASCII only; `toLowerCase` alone would fold the Kelvin sign into a `k`. */
export const lowerName = (name: string): string =>
  name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The form in which names are kept and compared: ASCII letters in lower case, no final dot. The root is "". */
export const canonicalName = (name: string): string => lowerName(name).replace(/\.$/, "");

/** True for a name in a zone, and for the zone itself. Both are canonical. */
export const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

// Host names that projects can have as domains.

/** Why a project cannot have this host name, in words for the person who typed it. */
export const HOSTNAME_REFUSALS = {
  empty: "is empty",
  ip_address: "is an IP address: a domain name is needed",
  wildcard: "has a *, which is allowed only at the start of a project's domain, as in *.example.org",
  underscore: "has an underscore, which no host name may have",
  malformed:
    "is not a host name: letters, digits and hyphens in labels between dots, without scheme, port or path",
  too_long: "is too long: 63 characters a label and 253 in all, as A-labels",
  single_label: "has only one label: a domain below a public suffix is needed, such as docs.example.org",
  public_suffix: "is a public suffix: a project cannot have it as a domain",
} as const;

type HostnameRefusal = keyof typeof HOSTNAME_REFUSALS;

export interface Hostname {
  /** A-labels in lower case, without a final dot, as in DNS and certificates. */
  ascii: string;
  /** The same name with U-labels, to show. */
  unicode: string;
  /** The registered domain, by the public suffix list with its private part. */
  apex: string;
  isApex: boolean;
  /** True for `*.example.org`, which stands for every name directly below the domain. */
  isWildcard: boolean;
  /** The record's name at the DNS provider: the part left of the apex, or `@`. */
  label: string;
}

export type ParsedHostname = { ok: true; hostname: Hostname } | { ok: false; refusal: HostnameRefusal };

/** RFC 1035 section 2.3.4, without the root's empty label. */
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
/** RFC 5890 section 2.3.1: letters, digits, hyphens inside. */
const LDH = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** Characters of URLs and sentences. `domainToASCII` would cut the name at some of them. */
const FOREIGN = /[\s/\\?#@:%<>|^`"'[\](){},;!$&+=~\p{Cc}]/u;
/** The URL standard reads a name as an IPv4 address if its last label is a decimal or hexadecimal number. */
const ENDS_IN_NUMBER = /(^|\.)([0-9]+|0x[0-9a-f]*)$/i;
const IPV6 = /^\[?[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*(%\w+)?\]?$/i;

/** UTS 46 has three more full stops; NFKC maps two of them. */
const withPlainDots = (text: string): string =>
  text.trim().normalize("NFKC").replaceAll("\u3002", ".").replace(/\.$/, "");

const refusalOfText = (text: string): HostnameRefusal | undefined => {
  if (text === "") return "empty";
  if (IPV6.test(text) || ENDS_IN_NUMBER.test(text)) return "ip_address";
  if (text.includes("*")) return "wildcard";
  if (FOREIGN.test(text)) return "malformed";
  if (text.includes("_")) return "underscore";
  return undefined;
};

const refusalOfName = (ascii: string): HostnameRefusal | undefined => {
  const labels = ascii.split(".");
  if (labels.some((label) => !LDH.test(label))) return "malformed";
  if (ascii.length > MAX_NAME_LENGTH || labels.some((label) => label.length > MAX_LABEL_LENGTH))
    return "too_long";
  return labels.length === 1 ? "single_label" : undefined;
};

const refuse = (refusal: HostnameRefusal): ParsedHostname => ({ ok: false, refusal });

const WILDCARD = "*.";

/** The domain of a wildcard; other names as they are. */
export const withoutWildcard = (name: string): string =>
  name.startsWith(WILDCARD) ? name.slice(WILDCARD.length) : name;

/** The wildcard that covers a name: `*.example.org` for `docs.example.org`. */
export const wildcardAbove = (name: string): string => `*${name.slice(name.indexOf("."))}`;

/** The name with U-labels, for display. */
export const unicodeOf = (ascii: string): string =>
  `${ascii.startsWith(WILDCARD) ? WILDCARD : ""}${domainToUnicode(withoutWildcard(ascii))}`;

const describe = (ascii: string, apex: string): Hostname => {
  const isApex = ascii === apex;
  const isWildcard = ascii.startsWith(WILDCARD);
  const label = isApex ? "@" : ascii.slice(0, -apex.length - 1);
  return { ascii, unicode: unicodeOf(ascii), apex, isApex, isWildcard, label };
};

/** Loads the public suffix list with the first name, because that takes 10 ms of the start. */
const registeredDomainOf = (ascii: string): string | null => {
  const { parse } = require("tldts") as typeof import("tldts");
  return parse(ascii, { allowPrivateDomains: true }).domain;
};

/** Parses a host name as a person types it, and normalises it to A-labels (UTS 46). */
export const parseHostname = (typed: string): ParsedHostname => {
  const text = withPlainDots(typed);
  const textRefusal = refusalOfText(text);
  if (textRefusal) return refuse(textRefusal);
  // The result is empty for broken Punycode and for labels that UTS 46 does not map.
  const ascii = domainToASCII(text).toLowerCase();
  const nameRefusal = refusalOfName(ascii);
  if (nameRefusal) return refuse(nameRefusal);
  const apex = registeredDomainOf(ascii);
  return apex === null ? refuse("public_suffix") : { ok: true, hostname: describe(ascii, apex) };
};

/** Room for a label below a wildcard's domain, with which it is checked. */
const MAX_WILDCARD_LENGTH = MAX_NAME_LENGTH - 16;

/** Parses a project's domain: a host name, or a wildcard such as `*.example.org`. */
export const parseDomainName = (typed: string): ParsedHostname => {
  const text = withPlainDots(typed);
  if (!text.startsWith(WILDCARD)) return parseHostname(text);
  const parsed = parseHostname(withoutWildcard(text));
  if (!parsed.ok) return parsed;
  const { ascii, apex } = parsed.hostname;
  return ascii.length > MAX_WILDCARD_LENGTH
    ? refuse("too_long")
    : { ok: true, hostname: describe(`${WILDCARD}${ascii}`, apex) };
};

/** A stored host name. It stays valid even if the public suffix list has changed since it was accepted. */
export const hostnameOf = (ascii: string): Hostname =>
  describe(ascii, registeredDomainOf(withoutWildcard(ascii)) ?? ascii.split(".").slice(-2).join("."));

/** The name that visitors also type: an apex with `www`, or without it. Other names have none. */
export const pairOf = ({ ascii, apex, isApex, label }: Hostname): string | undefined => {
  if (isApex) return `www.${ascii}`;
  return label === "www" ? apex : undefined;
};

/** The registered domain of a stored host name, or of a wildcard's domain. */
export const apexOf = (name: string): string => hostnameOf(name).apex;
