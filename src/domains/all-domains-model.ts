import { type Static, t } from "elysia";
import { AnyText, Cursor, ErrorBody, Limit, OneOf, ResponseText, Rule, checked } from "../http/schemas.ts";
import { MAX_DOMAIN_ROWS } from "../lib/domain-list.ts";
import { hasAtMost } from "../lib/text.ts";
import { statusOf } from "../lib/errors.ts";
import { Domain, fromDomain } from "./model.ts";
import type { RowResult } from "./service.ts";
import { STORED_STAGES } from "./stage.ts";

const STAGE_LIST = `^(${STORED_STAGES.join("|")})(,(${STORED_STAGES.join("|")}))*$`;
const STAGES = new RegExp(STAGE_LIST);

const text = (description: string, example: string) =>
  AnyText("DomainListText", { max: 255, description, examples: [example] });

export const AllDomainsQuery = t.Object(
  {
    q: t.Optional(text("Part of the host name, in Unicode or in Punycode. Case is ignored.", "example.org")),
    project: t.Optional(text("Filter by the slug of the project.", "docs")),
    stage: t.Optional(
      checked<string>(
        "DomainStages",
        {
          type: "string",
          pattern: STAGE_LIST,
          description: "Filter by stage: one stage, or several separated by commas.",
          examples: ["dns_conflict,issue_failed"],
        },
        `must be stages separated by commas, of ${STORED_STAGES.join(", ")}`,
        (value) => typeof value === "string" && STAGES.test(value),
      ),
    ),
    limit: t.Optional(Limit),
    // A host name in a cursor can have 253 characters.
    cursor: t.Optional({ ...Cursor, maxLength: 500 }),
  },
  { additionalProperties: false },
);

export const NewDomains = t.Array(
  t.Object(
    {
      // An empty one is refused as a row.
      hostname: checked<string>(
        "DomainRowName",
        {
          type: "string",
          maxLength: 1000,
          description: "The domain or subdomain, in Unicode or in Punycode.",
          examples: ["docs.example.org"],
        },
        "must be a string of at most 1000 characters",
        (value) => typeof value === "string" && hasAtMost(value, 1000),
      ),
      project: t.Optional(text("The slug of the project. The default is `?project=`.", "docs")),
      role: t.Optional(
        text(
          "`primary`: the domain replaces the primary domain of its project. `redirect`: it redirects to the primary domain, if the project has one. `served`, the default: it shows the site.",
          "redirect",
        ),
      ),
    },
    { $id: "NewDomainRow", additionalProperties: false, description: "A domain to add to a project." },
  ),
  {
    $id: "NewDomains",
    minItems: 1,
    maxItems: MAX_DOMAIN_ROWS,
    [Rule]: `must be a list of 1 to ${MAX_DOMAIN_ROWS} domains`,
    description:
      "Domains to add. As `text/csv`, the columns are `domain`, `project` and `role`. An optional header line names them, in any order.",
  },
);

export const NewDomainsQuery = t.Object(
  { project: t.Optional(text("The project of rows without one.", "docs")) },
  { additionalProperties: false },
);

export const DomainAdditions = t.Array(
  t.Object(
    {
      hostname: ResponseText("The domain, as in the request.", "docs.example.org"),
      project: t.Optional(ResponseText("The slug of the project.", "docs")),
      result: OneOf("DomainAdditionResult", ["added", "present", "refused"], {
        description: "`present`: the project already has the domain. It is left unchanged.",
        examples: ["added"],
      }),
      domain: t.Optional(Domain),
      error: t.Optional(ErrorBody),
    },
    { $id: "DomainAddition", description: "`domain`, or `error` if it was refused." },
  ),
  {
    $id: "DomainAdditions",
    maxItems: MAX_DOMAIN_ROWS,
    description: "A result for each domain, in the same order.",
  },
);

/** The wire form of the result for a row. */
export const fromRowResult = (result: RowResult): Static<typeof DomainAdditions>[number] => {
  const { hostname, project } = result;
  const row = { hostname, ...(project !== undefined && { project }) };
  if ("domain" in result)
    return { ...row, result: result.isNew ? "added" : "present", domain: fromDomain(result.domain) };
  const { code, message } = result.fault;
  return { ...row, result: "refused", error: { code, message, status: statusOf(code) } };
};
