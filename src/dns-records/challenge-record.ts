import type { Hostname } from "../lib/hostname.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";
import { TTL, UNKNOWN_ZONE } from "./needed-record.ts";
import { terraformFor } from "./terraform.ts";

/** A record with which a domain gets its certificate before its traffic moves. */
export interface ChallengeRecord {
  type: "CNAME";
  /** What to enter as its name: the labels left of the registered domain. */
  name: string;
  value: string;
  /** Seconds. */
  ttl: number;
  /** True for a wildcard. */
  required: boolean;
  note: string;
  /** A line of a zone file (RFC 1035 section 5.1). */
  bind: string;
  /** A Terraform block for the provider hashicorp/dns. */
  terraform: string;
}

const NOTE =
  "Optional: to move a live site without downtime, create this record first, and keep it. The server then orders the certificate. Change the other records when the domain is live. Renewals need no port 80.";

const WILDCARD_NOTE =
  "A wildcard needs the _acme-challenge record too, because CAs validate wildcards only by DNS. Keep it: every renewal uses it.";

/** @param value the name in which this service creates the records of the project's challenges */
export const challengeRecordFor = (
  hostname: Hostname,
  value: string,
  zone = UNKNOWN_ZONE,
): ChallengeRecord => {
  const owner = challengeNameOf(hostname.ascii);
  const name = owner.slice(0, -hostname.apex.length - 1);
  const record = { type: "CNAME", name, value, ttl: TTL } as const;
  return {
    ...record,
    required: hostname.isWildcard,
    note: hostname.isWildcard ? WILDCARD_NOTE : NOTE,
    bind: `${owner}. ${TTL} IN CNAME ${value}.`,
    terraform: terraformFor({ ...record, owner }, hostname, zone),
  };
};
