import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { OptionalText, ResponseText, checked } from "../http/schemas.ts";

const redirect = {
  from: ResponseText("A domain of the project.", "www.example.org"),
  to: ResponseText("The primary domain.", "docs.example.org"),
  status: Type.Integer({ minimum: 301, maximum: 301, examples: [301] }),
};

const NewRedirect = t.Object(redirect, {
  $id: "NewRedirect",
  additionalProperties: false,
  description: "A domain that redirects to the primary domain.",
});

const Redirect = t.Object(redirect, {
  $id: "Redirect",
  description: "A domain that redirects to the primary domain.",
});

const REDIRECTS = {
  maxItems: 100,
  description: "Domains that redirect to the primary domain. Path and query are kept.",
};

const NewDomainRoles = t.Object(
  {
    primary: ResponseText("A domain of the project.", "docs.example.org"),
    redirects: t.Optional(t.Array(NewRedirect, REDIRECTS)),
  },
  { $id: "NewDomainRoles", additionalProperties: false, description: "The new roles of the domains." },
);

const DomainRoles = t.Object(
  {
    primary: OptionalText("The primary domain. Absent if no domain is.", "docs.example.org"),
    redirects: t.Array(Redirect, REDIRECTS),
  },
  { $id: "DomainRoles", description: "The roles of the domains." },
);

/** Documented by its form; every fault of it is named by `readDomainsConfig`. */
export const NewDomainsConfig = checked<unknown>(
  "NewDomainsConfig",
  {
    $id: "NewDomainsConfig",
    description: "Which domain is primary, and which domains redirect to it.",
    ...(t.Object({ domains: NewDomainRoles }, { additionalProperties: false }) as object),
  },
  "",
  () => true,
);

export const DomainsConfig = t.Object(
  { domains: DomainRoles },
  { $id: "DomainsConfig", description: "Which domain is primary, and which domains redirect to it." },
);

/** Without `primary` only while the project has no primary domain. */
export type DomainsConfig = Static<typeof DomainsConfig>;
