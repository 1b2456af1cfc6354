import { type Static, t } from "elysia";
import { Type } from "@sinclair/typebox";
import { Cursor, Id, IdInPath, Limit, OneOf, Time } from "../http/schemas.ts";
import { formatTime } from "../lib/time.ts";
import type { ListedDeploy } from "./service.ts";

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const Deploy = t.Object(
  {
    id: Id("Identifies the deploy.", 3),
    status: OneOf("DeployStatus", ["succeeded", "failed"], {
      description: "`failed`: it was refused, and what was served before still is.",
      examples: ["succeeded"],
    }),
    reason: t.Optional(
      t.String({ description: "Why it failed.", examples: ['"../x": leads out of the site'] }),
    ),
    active: t.Boolean({ description: "True for the deploy that is served.", examples: [true] }),
    files: Count("Files, unpacked.", 42),
    bytes: Count("Bytes of all files, unpacked.", 1_234_567),
    key: t.Optional(Id("The API key that uploaded it; absent for the service's own.", 1)),
    createdAt: Time("When it was stored.", "2026-11-20T09:30:00.000Z"),
  },
  { $id: "Deploy", description: "An uploaded version of a project's site." },
);

export const Deploys = t.Array(Deploy, {
  $id: "Deploys",
  maxItems: 100,
  description: "Deploys, newest first.",
});

const slug = t.String({ description: "The project's slug.", examples: ["docs"] });

export const DeploysParams = t.Object({ slug });

export const DeployParams = t.Object({ slug, deployId: IdInPath("Id of the deploy.") });

export const DeployQuery = t.Object(
  { limit: t.Optional(Limit), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
);

/** What an archive is sent as. */
export const ARCHIVE_TYPES = ["application/gzip", "application/zip"] as const;
/** The same, and other names that clients have for it: what it is, its first bytes tell. */
const TAKEN = new Set<string>([
  ...ARCHIVE_TYPES,
  "application/x-gzip",
  "application/x-tgz",
  "application/x-compressed-tar",
  "application/x-zip-compressed",
  "application/octet-stream",
]);

/** True for a Content-Type that an archive may have. */
export const isArchiveType = (contentType: string | null): boolean =>
  TAKEN.has((contentType ?? "").toLowerCase().split(";")[0]?.trim() ?? "");

/** The wire form of a deploy. */
export const fromDeploy = ({
  id,
  status,
  reason,
  active,
  files,
  bytes,
  keyId,
  createdAt,
}: ListedDeploy): Static<typeof Deploy> => ({
  id,
  status,
  ...(reason !== null && { reason }),
  active,
  files,
  bytes,
  ...(keyId !== null && { key: keyId }),
  createdAt: formatTime(createdAt),
});
