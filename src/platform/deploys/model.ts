import { type Static, t } from "elysia";
import { Type } from "@sinclair/typebox";
import { Id, OneOf, Time } from "../../http/schemas.ts";
import { formatTime } from "../../lib/time.ts";
import type { ListedDeploy } from "./service.ts";

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const Deploy = t.Object(
  {
    id: Id("Unique identifier, assigned by the service.", 3),
    status: OneOf("DeployStatus", ["succeeded", "failed"], {
      description:
        "`succeeded`: the site can be served. `failed`: the archive was refused, and the previous site stays served.",
      examples: ["succeeded"],
    }),
    reason: t.Optional(
      t.String({ description: "Why the deploy failed.", examples: ['"../x": leads out of the site'] }),
    ),
    preview: t.Optional(
      t.String({
        description:
          "The address that always shows this deploy. Absent if the deploy failed, if the slug is too long, or if the server has neither a certificate nor an HTTP port for it.",
        examples: ["http://003--docs.example.org/"],
      }),
    ),
    active: t.Boolean({ description: "`true` for the deploy that is served.", examples: [true] }),
    files: Count("Number of files.", 42),
    bytes: Count("Size of all files after unpacking, in bytes.", 1_234_567),
    key: t.Optional(
      Id("Id of the API key that uploaded the deploy. Absent if the service made the deploy.", 1),
    ),
    createdAt: Time("When the deploy was stored.", "2026-11-20T09:30:00.000Z"),
  },
  { $id: "Deploy", description: "An uploaded version of a project's site." },
);

export const Deploys = t.Array(Deploy, {
  $id: "Deploys",
  maxItems: 100,
  description: "Deploys, newest first.",
});

/** The media types that the API documents for an archive. */
export const ARCHIVE_TYPES = ["application/gzip", "application/zip"] as const;
/** Other media types that clients send: the first bytes determine an archive's type. */
const ACCEPTED_TYPES = new Set<string>([
  ...ARCHIVE_TYPES,
  "application/x-gzip",
  "application/x-tgz",
  "application/x-compressed-tar",
  "application/x-zip-compressed",
  "application/octet-stream",
]);

/** True for a Content-Type that an archive may be sent with. */
export const isArchiveType = (contentType: string | null): boolean =>
  ACCEPTED_TYPES.has((contentType ?? "").toLowerCase().split(";")[0]?.trim() ?? "");

/** A deploy as the API returns it. @param preview its own address */
export const fromDeploy = (
  { id, status, reason, active, files, bytes, keyId, createdAt }: ListedDeploy,
  preview: string | undefined,
): Static<typeof Deploy> => ({
  id,
  status,
  ...(reason !== null && { reason }),
  ...(status === "succeeded" && preview !== undefined && { preview }),
  active,
  files,
  bytes,
  ...(keyId !== null && { key: keyId }),
  createdAt: formatTime(createdAt),
});
