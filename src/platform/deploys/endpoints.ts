import type { Caller } from "../../http/authorization.ts";
import { uploadOf } from "../../http/body.ts";
import { endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath, SlugInPath } from "../../http/schemas.ts";
import { Fault } from "../../lib/errors.ts";
import type { WithoutIdleTimeout } from "../../lib/idle-timeout.ts";
import { ARCHIVE_TYPES, Deploy, Deploys, fromDeploy, isArchiveType } from "./model.ts";
import type { DeployService, ListedDeploy } from "./service.ts";
import type { Upload } from "./uploads.ts";

const THIRD = {
  id: 3,
  status: "succeeded",
  preview: "http://003--docs.example.org/",
  active: true,
  files: 42,
  bytes: 1_234_567,
  key: 1,
  createdAt: "2026-11-20T09:30:00.000Z",
};

const SECOND = {
  id: 2,
  status: "failed",
  reason: '"../x": leads out of the site',
  active: false,
  files: 0,
  bytes: 0,
  key: 1,
  createdAt: "2026-11-20T09:20:00.000Z",
};

const deployId = IdInPath("Id of the deploy.");

/** @throws Fault unsupported_media_type */
const toUpload = (request: Request, caller: Caller): Upload => {
  const accept = ARCHIVE_TYPES.join(", ");
  if (!isArchiveType(request.headers.get("content-type")))
    throw new Fault("unsupported_media_type", `The archive must be sent as one of ${accept}.`, { accept });
  return { ...uploadOf(request, caller), actor: caller };
};

/**
 * The deploys of a project, under `/platform/projects/{slug}/deploys`.
 * @param previewOf the address of a deploy's preview; undefined if it has none
 */
export const deployEndpoints = ({
  deploys,
  previewOf,
  macros,
  withoutIdleTimeout,
}: {
  deploys: DeployService;
  previewOf: (slug: string, deployId: number) => string | undefined;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}) => {
  const { add, list, app } = endpoints({ macros, tag: "deploys", scope: "platform:read" });
  const shown = (slug: string, deploy: ListedDeploy) => fromDeploy(deploy, previewOf(slug, deploy.id));
  list("GET /platform/projects/:slug/deploys", {
    id: "listDeploys",
    summary: "List deploys",
    description:
      "Returns a page of deploys, newest first. The service keeps the newest 20 that succeeded and the newest 20 that failed. If more follow, the `Link` header has the address of the next page.",
    params: { slug: SlugInPath },
    returns: [Deploys, "The deploys.", [THIRD, SECOND]],
    run: async ({ params: { slug }, query: { limit, cursor } }) => {
      const { items, next } = await deploys.list(slug, { limit, cursor });
      return { items: items.map((deploy) => shown(slug, deploy)), next };
    },
  });
  add("POST /platform/projects/:slug/deploys", {
    id: "uploadDeploy",
    summary: "Deploy a site",
    description:
      "Uploads a site: a `.tar.gz` or `.zip` of static files with `index.html` at its root. If the archive has a single top-level directory, the service strips it.\n\nThe service switches to the new site in one step, after all of it is on disk. A refused archive is recorded as `failed` with its reason, and the previous site stays served.\n\nAll deploys of a project share a quota. A file that several deploys share counts once. A deploy beyond the quota gets `quota_exceeded`. An upload that is slower than 32 KiB per second after 30 seconds is refused.",
    scope: "platform:write",
    params: { slug: SlugInPath },
    uploads: ARCHIVE_TYPES,
    returns: [Deploy, "The site is deployed and served.", THIRD],
    faults: ["invalid_archive", "quota_exceeded"],
    location: ({ id }, { params: { slug } }) => `/platform/projects/${slug}/deploys/${id}`,
    run: async ({ params: { slug }, request, caller }) => {
      const upload = toUpload(request, caller);
      return shown(slug, await withoutIdleTimeout(request, () => deploys.upload(slug, upload)));
    },
  });
  add("GET /platform/projects/:slug/deploys/:deployId", {
    id: "getDeploy",
    summary: "Fetch one deploy",
    description: "Returns one deploy. If it failed, `reason` says why.",
    params: { slug: SlugInPath, deployId },
    returns: [Deploy, "The deploy.", THIRD],
    run: async ({ params: { slug, deployId } }) => shown(slug, await deploys.get(slug, deployId)),
  });
  add("DELETE /platform/projects/:slug/deploys/:deployId", {
    id: "deleteDeploy",
    summary: "Delete a deploy",
    description:
      "Deletes a deploy. It can't be served again, and no longer counts in the project's quota. Files that no other deploy needs are removed within an hour.",
    scope: "platform:write",
    params: { slug: SlugInPath, deployId },
    returns: "The deploy is deleted.",
    faults: ["deploy_active"],
    run: ({ params: { slug, deployId }, caller }) => deploys.remove(slug, deployId, caller),
  });
  add("POST /platform/projects/:slug/deploys/:deployId/activate", {
    id: "activateDeploy",
    summary: "Serve a deploy again",
    description:
      "Rolls the site back or forward. When the response arrives, this deploy is served. Repeating the request is safe.",
    scope: "platform:write",
    params: { slug: SlugInPath, deployId },
    returns: [Deploy, "The site is deployed and served.", THIRD],
    faults: ["deploy_failed"],
    run: async ({ params: { slug, deployId }, caller }) =>
      shown(slug, await deploys.activate(slug, deployId, caller)),
  });
  return app;
};
