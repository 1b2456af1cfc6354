import { domainToASCII, domainToUnicode } from "node:url";

/** Why a text is not a host name that a project can have, in words for who typed it. */
export const HOSTNAME_REFUSALS = {
  empty: "is empty",
  ip_address: "is an IP address: a domain name is needed",
  wildcard: "is a wildcard: add each name by itself",
  underscore: "has an underscore, which no host name may have",
  malformed:
    "is not a host name: letters, digits and hyphens in labels between dots, without scheme, port or path",
  too_long: "is too long: 63 characters a label and 253 in all, as A-labels",
  single_label: "has only one label: a domain below a public suffix is needed, such as docs.example.org",
  public_suffix: "is a public suffix: nobody can hold it as a domain",
} as const;

export type HostnameRefusal = keyof typeof HOSTNAME_REFUSALS;

export interface Hostname {
  /** A-labels in lower case, without a final dot: what DNS and certificates know. */
  ascii: string;
  /** The same name with U-labels, to show. */
  unicode: string;
  /** The registered domain, by the public suffix list with its private part. */
  apex: string;
  isApex: boolean;
  /** What to enter as the record's name at the DNS provider: the part left of the apex, or `@`. */
  label: string;
}

export type ParsedHostname = { ok: true; hostname: Hostname } | { ok: false; refusal: HostnameRefusal };

/** RFC 1035 section 2.3.4, without the root's empty label. */
const NAME_LENGTH = 253;
const LABEL_LENGTH = 63;
/** RFC 5890 section 2.3.1: letters, digits, hyphens inside. */
const LDH = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** What only a URL or a sentence has; `domainToASCII` would cut at some of them. */
const FOREIGN = /[\s/\\?#@:%<>|^`"'[\](){},;!$&+=~\p{Cc}]/u;
/** What the URL standard reads as an IPv4 address: the last label is a number, decimal or hexadecimal. */
const ENDS_IN_NUMBER = /(^|\.)([0-9]+|0x[0-9a-f]*)$/i;
const IPV6 = /^\[?[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*(%\w+)?\]?$/i;

/** UTS 46 takes three more characters for a full stop; NFKC maps two of them. */
const dotted = (text: string): string =>
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
  if (ascii.length > NAME_LENGTH || labels.some((label) => label.length > LABEL_LENGTH)) return "too_long";
  return labels.length === 1 ? "single_label" : undefined;
};

const refused = (refusal: HostnameRefusal): ParsedHostname => ({ ok: false, refusal });

const describe = (ascii: string, apex: string): Hostname => {
  const isApex = ascii === apex;
  const label = isApex ? "@" : ascii.slice(0, -apex.length - 1);
  return { ascii, unicode: domainToUnicode(ascii), apex, isApex, label };
};

/** The public suffix list is loaded with the first name: 10 ms that a start need not wait for. */
const registeredDomainOf = (ascii: string): string | null => {
  const { parse } = require("tldts") as typeof import("tldts");
  return parse(ascii, { allowPrivateDomains: true }).domain;
};

/** Reads a host name as a person types it: normalised by UTS 46 to A-labels, or refused with the reason. */
export const parseHostname = (typed: string): ParsedHostname => {
  const text = dotted(typed);
  const early = refusalOfText(text);
  if (early) return refused(early);
  // An empty answer stands for labels that UTS 46 does not map, or broken Punycode.
  const ascii = domainToASCII(text).toLowerCase();
  const late = refusalOfName(ascii);
  if (late) return refused(late);
  const apex = registeredDomainOf(ascii);
  return apex === null ? refused("public_suffix") : { ok: true, hostname: describe(ascii, apex) };
};

/** A host name that was accepted once: the public suffix list may have changed since, and it stays what it was. */
export const hostnameOf = (ascii: string): Hostname =>
  describe(ascii, registeredDomainOf(ascii) ?? ascii.split(".").slice(-2).join("."));
