import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { OneOf, Time } from "../http/schemas.ts";
import { CERTIFICATE_STATUSES } from "./domain.ts";

const text = (description: string, example: string) => t.String({ description, examples: [example] });

const Subproblem = t.Object(
  {
    type: text("What kind of problem.", "caa"),
    detail: text("What the CA said about it.", "CAA forbids it."),
    identifier: t.Optional(text("The name that it is about.", "docs.example.org")),
  },
  { $id: "CertificateSubproblem", description: "One reason of several why the last attempt failed." },
);

const Problem = t.Object(
  {
    type: text("What kind of problem: RFC 8555's word, or one of ours.", "unauthorized"),
    detail: text("What the CA said, in its own words.", "The challenge was not answered."),
    status: t.Optional(Type.Integer({ minimum: 100, maximum: 599, examples: [403] })),
    subproblems: t.Array(Subproblem),
  },
  { $id: "CertificateProblem", description: "Why the last attempt failed." },
);

export const DomainCertificate = t.Object(
  {
    status: OneOf("CertificateStatus", CERTIFICATE_STATUSES, {
      description:
        "`wanted`: not ordered yet; `ordered`: the CA is at work; `failing`: the last attempt failed; `ssl_overdue`: no certificate after 30 minutes; `in_use`, also while it is renewed; `expired`.",
      examples: ["in_use"],
    }),
    notBefore: t.Optional(Time("From when on it is valid.", "2026-11-20T09:32:00.000Z")),
    notAfter: t.Optional(Time("Until when it is valid.", "2027-02-18T09:32:00.000Z")),
    authority: t.Optional(
      text(
        "The directory of the CA that issued it, or `imported`.",
        "https://acme-v02.api.letsencrypt.org/directory",
      ),
    ),
    problem: t.Optional(Problem),
    failures: t.Optional(
      Type.Integer({ minimum: 1, description: "Failed attempts in a row.", examples: [1] }),
    ),
    nextAttemptAt: t.Optional(
      Time("When the service acts by itself: the next attempt, or a renewal.", "2026-11-20T09:33:00.000Z"),
    ),
  },
  { $id: "DomainCertificate", description: "A name's certificate, and its progress." },
);
