import { operation } from "../http/operation.ts";
import { ARCHIVE_TYPES } from "./model.ts";

const TAGS = ["deploys"];
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

export const listDeploys = operation({
  operationId: "listDeploys",
  summary: "List deploys",
  description:
    "Returns a page of deploys, newest first. The service keeps the newest 20 that succeeded and the newest 20 that failed. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: {
    200: { description: "The deploys.", headers: ["Link", "Next-Cursor"], example: [THIRD, SECOND] },
  },
});

export const uploadDeploy = operation({
  operationId: "uploadDeploy",
  summary: "Deploy a site",
  description:
    "Uploads a site: a `.tar.gz` or `.zip` of static files with `index.html` at its root. If the archive has a single top-level directory, the service strips it.\n\nThe service switches to the new site in one step, after all of it is on disk. A refused archive is recorded as `failed` with its reason, and the previous site stays served.\n\nAll deploys of a project share a quota. A file that several deploys share counts once. A deploy beyond the quota gets `quota_exceeded`. An upload that is slower than 32 KiB per second after 30 seconds is refused.",
  tags: TAGS,
  uploads: ARCHIVE_TYPES,
  responses: {
    201: { description: "The site is deployed and served.", headers: ["Location"], example: THIRD },
  },
  faults: ["invalid_archive", "quota_exceeded"],
});

export const getDeploy = operation({
  operationId: "getDeploy",
  summary: "Fetch one deploy",
  description: "Returns one deploy. If it failed, `reason` says why.",
  tags: TAGS,
  responses: { 200: { description: "The deploy.", example: THIRD } },
});

export const deleteDeploy = operation({
  operationId: "deleteDeploy",
  summary: "Delete a deploy",
  description:
    "Deletes a deploy. It can't be served again, and no longer counts in the project's quota. Files that no other deploy needs are removed within an hour.",
  tags: TAGS,
  responses: { 204: { description: "The deploy is deleted." } },
  faults: ["deploy_active"],
});

export const activateDeploy = operation({
  operationId: "activateDeploy",
  summary: "Serve a deploy again",
  description:
    "Rolls the site back or forward. When the response arrives, this deploy is served. Repeating the request is safe.",
  tags: TAGS,
  responses: { 200: { description: "The site is deployed and served.", example: THIRD } },
  faults: ["deploy_failed"],
});
