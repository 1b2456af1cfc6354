import { Elysia, status } from "elysia";
import { hasAborted } from "../http/body-limit.ts";
import { type Caller, callerId } from "../http/authorization.ts";
import { Fault } from "../lib/errors.ts";
import { nextPage } from "../http/headers.ts";
import type { WithoutIdleTimeout } from "../lib/idle-timeout.ts";
import { NoContent, NoQuery, parseId } from "../http/schemas.ts";
import type { Macros } from "../http/macros.ts";
import {
  ARCHIVE_TYPES,
  Deploy,
  DeployParams,
  DeployQuery,
  Deploys,
  DeploysParams,
  fromDeploy,
  isArchiveType,
} from "./model.ts";
import { activateDeploy, deleteDeploy, getDeploy, listDeploys, uploadDeploy } from "./openapi.ts";
import type { Upload } from "./uploads.ts";
import type { DeployService, ListedDeploy } from "./service.ts";

/** @throws Fault unsupported_media_type */
const toUpload = (request: Request, caller: Caller): Upload => {
  const { headers, body } = request;
  const accept = ARCHIVE_TYPES.join(", ");
  if (!isArchiveType(headers.get("content-type")))
    throw new Fault("unsupported_media_type", `The archive must be sent as one of ${accept}.`, { accept });
  const length = headers.get("content-length");
  return {
    length: length === null ? undefined : Number(length),
    body,
    isCutOff: () => hasAborted(request),
    caller: callerId(caller),
    actor: caller,
  };
};

interface DeployRouteOptions {
  deploys: DeployService;
  /** The address of a deploy's preview; undefined if it has none. */
  previewOf: (slug: string, deployId: number) => string | undefined;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** The deploys of a project, under `/platform/projects/{slug}/deploys`. */
export const deployRoutes = ({ deploys, previewOf, macros, withoutIdleTimeout }: DeployRouteOptions) => {
  const shown = (slug: string, deploy: ListedDeploy) => fromDeploy(deploy, previewOf(slug, deploy.id));
  return new Elysia({ name: "deploys", normalize: false })
    .use(macros)
    .get(
      "/platform/projects/:slug/deploys",
      async ({ params: { slug }, query, set }) => {
        const limit = Number(query.limit);
        const { items, next } = await deploys.list(slug, { limit, cursor: query.cursor });
        Object.assign(set.headers, nextPage(`/platform/projects/${slug}/deploys`, { limit }, next));
        return items.map((deploy) => shown(slug, deploy));
      },
      {
        stability: "beta",
        scope: "platform:read",
        params: DeploysParams,
        query: DeployQuery,
        response: { 200: Deploys },
        detail: listDeploys,
      },
    )
    .post(
      "/platform/projects/:slug/deploys",
      async ({ params: { slug }, request, caller, set }) => {
        const upload = toUpload(request, caller);
        const deploy = await withoutIdleTimeout(request, () => deploys.upload(slug, upload));
        set.headers["location"] = `/platform/projects/${slug}/deploys/${deploy.id}`;
        return status(201, shown(slug, deploy));
      },
      {
        stability: "beta",
        scope: "platform:write",
        params: DeploysParams,
        query: NoQuery,
        response: { 201: Deploy },
        detail: uploadDeploy,
      },
    )
    .get(
      "/platform/projects/:slug/deploys/:deployId",
      async ({ params: { slug, deployId } }) => shown(slug, await deploys.get(slug, parseId(deployId))),
      {
        stability: "beta",
        scope: "platform:read",
        params: DeployParams,
        query: NoQuery,
        response: { 200: Deploy },
        detail: getDeploy,
      },
    )
    .delete(
      "/platform/projects/:slug/deploys/:deployId",
      async ({ params: { slug, deployId }, caller }) => {
        await deploys.remove(slug, parseId(deployId), caller);
        return status(204, undefined);
      },
      {
        stability: "beta",
        scope: "platform:write",
        params: DeployParams,
        query: NoQuery,
        response: { 204: NoContent },
        detail: deleteDeploy,
      },
    )
    .post(
      "/platform/projects/:slug/deploys/:deployId/activate",
      async ({ params: { slug, deployId }, caller }) =>
        shown(slug, await deploys.activate(slug, parseId(deployId), caller)),
      {
        stability: "beta",
        scope: "platform:write",
        params: DeployParams,
        query: NoQuery,
        response: { 200: Deploy },
        detail: activateDeploy,
      },
    );
};
