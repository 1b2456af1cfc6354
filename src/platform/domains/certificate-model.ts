import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { OneOf, OptionalText, ResponseText, Time } from "../../http/schemas.ts";

export const CERTIFICATE_STATUSES = [
  "wanted",
  "ordered",
  "failing",
  "ssl_overdue",
  "in_use",
  "expired",
] as const;

const Subproblem = t.Object(
  {
    type: ResponseText("The kind of problem.", "caa"),
    detail: ResponseText("The CA's explanation.", "CAA forbids it."),
    identifier: OptionalText("The host name with the problem.", "docs.example.org"),
  },
  { $id: "CertificateSubproblem", description: "One of several reasons why the last attempt failed." },
);

const reason = {
  type: ResponseText(
    "The kind of problem: an error type of RFC 8555, or one of this service.",
    "unauthorized",
  ),
  detail: ResponseText("The CA's explanation, in its own words.", "The challenge was not answered."),
  // The CA's status, unchanged: RFC 9110 section 15 has clients accept three digits, valid or not.
  status: t.Optional(Type.Integer({ minimum: 100, maximum: 999, examples: [403] })),
  subproblems: t.Array(Subproblem),
};

const Cause = t.Object(reason, {
  $id: "CertificateCause",
  description:
    "A CA's last refusal. Present if `type` is `budget` or `rateLimited`, and a CA refused the certificate before.",
});

const Problem = t.Object(
  { ...reason, cause: t.Optional(Cause) },
  { $id: "CertificateProblem", description: "Why the last attempt failed." },
);

const Queue = t.Object(
  {
    position: Type.Integer({ minimum: 1, description: "Its place in the queue.", examples: [412] }),
    estimatedAt: Time("When its order can probably be placed.", "2026-11-20T13:33:00.000Z"),
  },
  {
    $id: "CertificateQueue",
    description: "The certificate waits because the CAs' limits allow no order now. Projects take turns.",
  },
);

export const DomainCertificate = t.Object(
  {
    status: OneOf("CertificateStatus", CERTIFICATE_STATUSES, {
      description:
        "`wanted`: not ordered yet. `ordered`: the CA is working on it. `failing`: the last attempt failed. `ssl_overdue`: there is no certificate after 30 minutes, and no limit delays it. `in_use`: valid and served, also during a renewal; a domain that is not live yet waits only for its records. `expired`: no longer valid.",
      examples: ["in_use"],
    }),
    notBefore: t.Optional(Time("When the certificate becomes valid.", "2026-11-20T09:32:00.000Z")),
    notAfter: t.Optional(Time("When the certificate expires.", "2027-02-18T09:32:00.000Z")),
    authority: OptionalText(
      "The ACME directory of the CA that issued the certificate, or `imported`.",
      "https://acme-v02.api.letsencrypt.org/directory",
    ),
    problem: t.Optional(Problem),
    failures: t.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "Number of failed attempts in a row. `0` while the CA decides, or a limit postpones the order.",
        examples: [1],
      }),
    ),
    nextAttemptAt: t.Optional(
      Time("When the service tries again, or renews the certificate.", "2026-11-20T09:33:00.000Z"),
    ),
    queue: t.Optional(Queue),
  },
  { $id: "DomainCertificate", description: "The certificate of a domain, and its progress." },
);

export type DomainCertificate = Static<typeof DomainCertificate>;
