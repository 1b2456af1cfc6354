import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { OneOf, Time } from "../http/schemas.ts";
import { formatTime } from "../lib/time.ts";
import { AT_ONCE, type Certificate, isOverdue } from "./certificate.ts";

const STATUSES = ["wanted", "ordered", "failing", "ssl_overdue", "in_use", "expired"] as const;
type Status = (typeof STATUSES)[number];

const text = (description: string, example: string) => t.String({ description, examples: [example] });

const Subproblem = t.Object(
  {
    type: text("What kind of problem.", "caa"),
    detail: text("What was said of it.", "CAA forbids it."),
    identifier: t.Optional(text("The name that it is about.", "docs.example.org")),
  },
  { $id: "CertificateSubproblem", description: "A part of why the last attempt failed." },
);

const Problem = t.Object(
  {
    type: text("What kind of problem: RFC 8555's word, or one of ours.", "unauthorized"),
    detail: text("What was said, as it was said.", "The challenge was not answered."),
    status: t.Optional(Type.Integer({ minimum: 100, maximum: 599, examples: [403] })),
    subproblems: t.Array(Subproblem),
  },
  { $id: "CertificateProblem", description: "Why the last attempt failed." },
);

export const DomainCertificate = t.Object(
  {
    status: OneOf("CertificateStatus", STATUSES, {
      description:
        "`wanted`: not ordered yet; `ordered`: the authority is at work; `failing`: the last attempt failed; `ssl_overdue`: there is none after 30 minutes; `in_use`, also while it is renewed; `expired`.",
      examples: ["in_use"],
    }),
    notBefore: t.Optional(Time("From when on it is valid.", "2026-11-20T09:32:00.000Z")),
    notAfter: t.Optional(Time("Until when it is valid.", "2027-02-18T09:32:00.000Z")),
    authority: t.Optional(
      text(
        "The directory of who issued it, or `imported`.",
        "https://acme-v02.api.letsencrypt.org/directory",
      ),
    ),
    problem: t.Optional(Problem),
    failures: t.Optional(
      Type.Integer({ minimum: 1, description: "Failed attempts in a row.", examples: [1] }),
    ),
    nextAttemptAt: t.Optional(
      Time("When something is done by itself: a next attempt, a renewal.", "2026-11-20T09:33:00.000Z"),
    ),
  },
  { $id: "DomainCertificate", description: "A name's certificate, and what is under way for it." },
);

const statusOf = (certificate: Certificate, now: number): Status => {
  const { issued, order, problem } = certificate;
  if (issued) return issued.notAfter > now ? "in_use" : "expired";
  if (isOverdue(certificate, now)) return "ssl_overdue";
  if (problem) return "failing";
  return order ? "ordered" : "wanted";
};

const shownProblem = ({ type, detail, status, subproblems }: NonNullable<Certificate["problem"]>) => ({
  type,
  detail,
  ...(status !== undefined && { status }),
  subproblems,
});

/** The wire form of a certificate: never its key. */
export const fromCertificate = (certificate: Certificate, now: number): Static<typeof DomainCertificate> => {
  const { issued, problem, failures, nextAt } = certificate;
  return {
    status: statusOf(certificate, now),
    ...(issued && {
      notBefore: formatTime(issued.notBefore),
      notAfter: formatTime(issued.notAfter),
      authority: issued.authority ?? "imported",
    }),
    ...(problem && { problem: shownProblem(problem), failures }),
    ...(nextAt !== null && { nextAttemptAt: formatTime(nextAt === AT_ONCE ? now : nextAt) }),
  };
};
