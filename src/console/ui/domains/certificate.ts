import type { Certificate } from "./model.ts";

type Problem = NonNullable<Certificate["problem"]>;

/** What was wrong with an attempt, and what to do, by the problem's type (RFC 8555 section 6.7, and the platform's own). */
const WORDS: Readonly<Record<string, string>> = {
  budget: "The limit on certificate orders is reached. The next order follows by itself: wait.",
  caa: "The domain's CAA records do not allow the certificate authority: change them.",
  challenge_unreachable: "The domain did not lead to this server over HTTP: its port 80 must be reachable.",
  connection: "The certificate authority could not reach the domain: its port 80 must lead to this server.",
  dns: "The certificate authority could not find the domain in the DNS: look at its records.",
  externalAccountRequired:
    "The certificate authority wants an account of its own: the server's operator must set it up.",
  no_authority:
    "The server's operator has not agreed to a certificate authority's terms of service yet: until then none is asked.",
  not_held: "The domain is not this project's yet: verify it first.",
  rateLimited: "The CA's rate limit is reached. The next order follows by itself: wait.",
  records:
    "The domain's records do not allow a certificate as they are: correct them, then choose Re-verify.",
  unauthorized: "The certificate authority found another server under the domain: look at its records.",
  unreachable: "The certificate authority could not be reached from this server: its operator must look.",
};

const REFUSED = "The certificate authority refused. This is what it said:";

/** A problem in calm words; what was said of it follows beside. */
export const problemMessage = ({ type }: Pick<Problem, "type">): string => WORDS[type] ?? REFUSED;

/** What was said, a sentence for each part. */
export const problemDetails = ({ detail, subproblems }: Problem): string[] => [
  detail,
  ...subproblems.map(({ identifier, detail }) => (identifier ? `${identifier}: ${detail}` : detail)),
];

/** A certificate's state in a sentence. */
export const CERTIFICATE_STATES: Record<Certificate["status"], string> = {
  wanted: "It is not ordered yet.",
  ordered: "It is ordered: usually it comes within a couple of minutes.",
  failing: "There is none yet: the last attempt failed.",
  ssl_overdue: "There is none after 30 minutes. What to do:",
  in_use: "It is in use.",
  expired: "It has ended.",
};

/** What to do when there is no certificate after 30 minutes: the specification's own list. */
export const OVERDUE_STEPS = [
  "Confirm that the domain still verifies: the record above must be right.",
  "Check that no CAA records block the certificate authority.",
  "Choose Re-verify to start a new attempt.",
] as const;
