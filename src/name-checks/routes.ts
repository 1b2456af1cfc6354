import { Elysia } from "elysia";
import type { WithoutIdleTimeout } from "../lib/idle-timeout.ts";
import type { Macros } from "../http/macros.ts";
import { NoQuery } from "../http/schemas.ts";
import { DomainCheck, NewDomainCheck, fromNameCheck } from "./model.ts";
import type { NameCheckService } from "./service.ts";
import { checkDomain } from "./openapi.ts";

interface NameCheckRouteOptions {
  nameChecks: NameCheckService;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** The check of a name before it is added, at `/platform/domain-checks`. */
export const nameCheckRoutes = ({ nameChecks, macros, withoutIdleTimeout }: NameCheckRouteOptions) =>
  new Elysia({ name: "domain-checks", normalize: false }).use(macros).post(
    "/platform/domain-checks",
    // Strangers' name servers can be slow.
    async ({ body, request }) =>
      fromNameCheck(await withoutIdleTimeout(request, () => nameChecks.check(body))),
    {
      stability: "beta",
      scope: "platform:read",
      reads: "json",
      query: NoQuery,
      body: NewDomainCheck,
      response: { 200: DomainCheck },
      detail: checkDomain,
    },
  );
