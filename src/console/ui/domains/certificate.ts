import type { Certificate } from "./model.ts";

type Problem = NonNullable<Certificate["problem"]>;

/** What was wrong with an attempt and what to do, by the problem's type (RFC 8555 section 6.7, and the platform's own). */
const MESSAGES: Readonly<Record<string, string>> = {
  budget: "The limit on certificate orders is reached. Wait: the next order is placed automatically.",
  caa: "The domain's CAA records do not allow the CA. Change them.",
  challenge_unreachable: "The domain does not reach this server over HTTP. Its port 80 must be reachable.",
  connection: "The CA could not reach the domain. Its port 80 must lead to this server.",
  dns: "The CA could not find the domain in the DNS. Check its records.",
  externalAccountRequired: "The CA requires an external account. The server's operator must set it up.",
  no_authority:
    "The server's operator has not agreed to the terms of service of a CA yet. Certificates are ordered after that.",
  not_held: "The domain does not belong to this project yet. Verify it first.",
  rateLimited: "The CA's rate limit is reached. Wait: the next order is placed automatically.",
  records: "The domain's records do not allow a certificate. Correct them, then choose Re-verify.",
  unauthorized: "The CA found another server at the domain. Check its records.",
  unreachable: "The server could not reach the CA. Its operator must check the connection.",
};

const REFUSED = "The CA refused. This is what it said:";

/** What a problem means. Its details are shown after it. */
export const problemMessage = ({ type }: Pick<Problem, "type">): string => MESSAGES[type] ?? REFUSED;

/** What the CA said, one sentence per part. */
export const problemDetails = ({ detail, subproblems }: Problem): string[] => [
  detail,
  ...subproblems.map(({ identifier, detail }) => (identifier ? `${identifier}: ${detail}` : detail)),
];

/** The state of a certificate in a sentence. */
export const CERTIFICATE_STATES: Record<Certificate["status"], string> = {
  wanted: "Not ordered yet.",
  ordered: "Ordered. It usually arrives within a few minutes.",
  failing: "No certificate yet: the last attempt failed.",
  ssl_overdue: "No certificate after 30 minutes. What to do:",
  in_use: "In use.",
  expired: "Expired.",
};

/** What to do if there is no certificate after 30 minutes. The list is specified. */
export const OVERDUE_STEPS = [
  "Confirm that the domain still verifies: the record above must be right.",
  "Check that no CAA records block the certificate authority.",
  "Choose Re-verify to start a new attempt.",
] as const;
