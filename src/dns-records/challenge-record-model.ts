import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { OneOf, ResponseText } from "../http/schemas.ts";

const CHALLENGE_TARGET = "k3vq7zj5n2xw4ryt6mbd._acme-challenge.sites.example.net";

export const ChallengeRecord = t.Object(
  {
    type: OneOf("ChallengeRecordType", ["CNAME"], { examples: ["CNAME"] }),
    name: ResponseText("The name of the record, as DNS providers ask for it.", "_acme-challenge.docs"),
    value: ResponseText("The value of the record: exactly this name.", CHALLENGE_TARGET),
    ttl: Type.Integer({ minimum: 1, description: "The TTL of the record, in seconds.", examples: [3600] }),
    required: t.Boolean({
      description: "True for a wildcard: without the record, it cannot become live.",
      examples: [false],
    }),
    note: ResponseText("What the record is for."),
    bind: ResponseText(
      "The record as a line of a zone file.",
      `_acme-challenge.docs.example.org. 3600 IN CNAME ${CHALLENGE_TARGET}.`,
    ),
    terraform: ResponseText("The record as a block of a Terraform configuration."),
  },
  {
    $id: "ChallengeRecord",
    description:
      "The record with which this service proves control of the domain to a CA. A wildcard requires it. With other domains, it lets you move a live site without downtime: it proves the domain, and the server orders the certificate. Change the other records when the domain is `live`.",
  },
);
