import { Fault } from "../lib/errors.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import type { Clock } from "../lib/time.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Admission } from "./admission.ts";
import type { UnpackedFile } from "./archive.ts";
import type { Blobs } from "./blobs.ts";
import { type DiskSpace, InsufficientSpace } from "./disk-space.ts";
import { hashesInManifest } from "./manifest.ts";
import { sitePublisher } from "./publish.ts";
import type { Deploy, DeployRepository } from "./repository.ts";
import { UploadCutOff, UploadTooLarge, type Uploads } from "./uploads.ts";

/** A `.tar.gz` or `.zip` that a client sends. */
export interface Upload {
  /** The Content-Length; undefined for a chunked body. */
  length: number | undefined;
  body: ReadableStream<Uint8Array> | null;
  /** True if the connection was closed, although the body seems complete. */
  isCutOff(): Promise<boolean>;
  /** The key that sends it; null for the service itself. */
  keyId: number | null;
}

/** A deploy, and whether it is the served one. */
export type ListedDeploy = Deploy & { active: boolean };

/** Above every id. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const listedFor =
  (activeDeployId: number | null) =>
  (deploy: Deploy): ListedDeploy => ({ ...deploy, active: deploy.id === activeDeployId });

const notFound = () => new Fault("not_found", "The project has no deploy with this id.");

const tooLarge = (limit: number) =>
  new Fault(
    "payload_too_large",
    `The archive is larger than ${limit} bytes, the DEPLOY_LIMIT of this server.`,
    { connection: "close" },
  );

const insufficientSpace = () =>
  new Fault(
    "storage_unavailable",
    "The server has too little disk space for this deploy. Nothing of it was stored, and the site before is still served. Try again once there is space.",
    { "retry-after": "60", connection: "close" },
  );

/** The fault for an error of an upload. */
const faultOf = (error: unknown, limit: number): unknown => {
  if (error instanceof UploadTooLarge) return tooLarge(limit);
  if (error instanceof InsufficientSpace) return insufficientSpace();
  if (error instanceof UploadCutOff)
    return new Fault("invalid_request", `The archive is not complete: ${error.message}.`, {
      connection: "close",
    });
  return error;
};

export const deployService = ({
  deploys,
  projects,
  blobs,
  uploads,
  admission,
  diskSpace,
  uploadLimit,
  projectQuota,
  clock,
}: {
  deploys: DeployRepository;
  projects: Pick<ProjectService, "get">;
  blobs: Blobs;
  uploads: Uploads;
  admission: Admission;
  diskSpace: DiskSpace;
  /** Bytes of an archive. */
  uploadLimit: number;
  /** Bytes that the kept deploys of one project may take. */
  projectQuota: number;
  clock: Clock;
}) => {
  const { publishFiles, publishArchive } = sitePublisher({ deploys, blobs, projectQuota, clock });

  /** @throws Fault not_found */
  const get = async (slug: string, id: number): Promise<ListedDeploy> => {
    const project = await projects.get(slug);
    const deploy = await deploys.find(project.id, id);
    if (!deploy) throw notFound();
    return listedFor(project.activeDeployId)(deploy);
  };

  /** The hashes of all blobs that deploys need. */
  const needed = async (): Promise<Set<string>> => {
    const hashes = new Set<string>();
    for (const manifest of await deploys.manifests()) {
      hashes.add(manifest);
      for (const hash of await hashesInManifest(blobs, manifest)) hashes.add(hash);
    }
    return hashes;
  };

  return {
    get,
    needed,
    /** True if no project ever had a deploy, not even a failed or deleted one. */
    isUntouched: (): Promise<boolean> => deploys.isUntouched(),
    /**
     * Unpacks, stores and publishes an archive. The served deploy changes only once all of the new one is on disk. A refused
     * archive is recorded with its reason.
     * @throws Fault not_found, payload_too_large, invalid_archive, quota_exceeded, rate_limited if there are too many uploads,
     * storage_unavailable if the disk has too little space
     */
    async upload(slug: string, { length = 0, body, isCutOff, keyId }: Upload): Promise<ListedDeploy> {
      const project = await projects.get(slug);
      if (length > uploadLimit) throw tooLarge(uploadLimit);
      const leave = admission.admit(keyId ?? 0);
      try {
        diskSpace.assertFree(length);
        const { id } = await uploads.receive(body, async (file) => {
          if (await isCutOff()) throw new UploadCutOff("the connection was closed");
          return admission.unpack(() => publishArchive(project, file, keyId));
        });
        return await get(slug, id);
      } catch (error) {
        throw faultOf(error, uploadLimit);
      } finally {
        leave();
      }
    },
    /** Publishes files of the service's own, unless the project serves a deploy by then. */
    async publishFirst(slug: string, files: AsyncIterable<UnpackedFile>): Promise<void> {
      await publishFiles(await projects.get(slug), files, { keyId: null, isFirst: true });
    },
    /** Newest first. @throws Fault not_found, invalid_cursor */
    async list(
      slug: string,
      { limit, cursor }: { limit: number; cursor: string | undefined },
    ): Promise<Page<ListedDeploy>> {
      const { id, activeDeployId } = await projects.get(slug);
      const list = `deploys:${id}`;
      const before = cursor === undefined ? NEWEST : readCursor(cursor, list);
      const found = await deploys.list({ projectId: id, before, limit: limit + 1 });
      return cutPage(found.map(listedFor(activeDeployId)), limit, list);
    },
    /** Serves an earlier deploy again. @throws Fault not_found, deploy_failed if the deploy had failed */
    async activate(slug: string, id: number): Promise<ListedDeploy> {
      const deploy = await get(slug, id);
      if (deploy.status === "failed")
        throw new Fault("deploy_failed", `Deploy ${id} failed and cannot be served: ${deploy.reason ?? ""}`);
      const activated = await deploys.activate(deploy.projectId, id);
      if (!activated) throw notFound();
      return { ...activated, active: true };
    },
    /** Deletes a deploy. The next sweep removes files that no other deploy needs. @throws Fault not_found, deploy_active */
    async remove(slug: string, id: number): Promise<void> {
      const { projectId } = await get(slug, id);
      if (await deploys.remove(projectId, id)) return;
      // It is the served one, or another request deleted it meanwhile.
      await get(slug, id);
      throw new Fault("deploy_active");
    },
    /** Removes files that no deploy needs, and uploads that a crash left. @returns how many files */
    sweep(): Promise<number> {
      if (admission.isIdle()) uploads.clear();
      return blobs.sweep(needed);
    },
  };
};

export type DeployService = ReturnType<typeof deployService>;
