import type { Exchange } from "./client.ts";
import { printable } from "../../lib/text.ts";

/** RFC 8914 section 4: what a validating resolver found. */
const DNSSEC_ERRORS: Readonly<Record<number, string>> = {
  6: "DNSSEC bogus",
  7: "a signature has expired",
  8: "a signature is not valid yet",
  9: "the DNSKEY is missing",
  10: "signatures are missing",
  11: "no key has the zone key bit",
  12: "the NSEC record is missing",
};

/** Why DNSSEC forbids the records, as the resolver explains it; undefined if it names no such reason. */
export const dnssecErrorOf = ({ outcome }: Exchange): string | undefined => {
  if (outcome.kind === "failure" || outcome.rcode !== "SERVFAIL") return undefined;
  const error = outcome.extendedErrors?.find(({ code }) => DNSSEC_ERRORS[code] !== undefined);
  if (!error) return undefined;
  const text = error.text === "" ? "" : `: ${printable(error.text, 100)}`;
  return `${DNSSEC_ERRORS[error.code]}${text}`;
};
