import { Fault } from "../lib/errors.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import type { Project } from "../projects/repository.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Clock } from "../lib/time.ts";
import type { Admission } from "./admission.ts";
import { type UnpackedFile, unpack } from "./archive.ts";
import type { Blobs } from "./blobs.ts";
import { type StoredSite, storeSite } from "./store-site.ts";
import { type Manifest, hashesInManifest, loadManifest } from "./manifest.ts";
import { type DeploySize, maxDiskBytes, quotaExceeded, diskUsage } from "./quota.ts";
import { InvalidArchive, UNPACK_LIMITS } from "./invalid-archive.ts";
import type { Deploy, DeployRepository } from "./repository.ts";
import { InsufficientSpace, type DiskSpace } from "./disk-space.ts";
import { keyedMutex } from "./mutex.ts";
import { UploadCutOff, UploadTooLarge, type Uploads } from "./uploads.ts";

/** A `.tar.gz` or `.zip` on its way in. */
export interface Upload {
  /** As its Content-Length says; undefined for one that is sent in chunks. */
  length: number | undefined;
  body: ReadableStream<Uint8Array> | null;
  /** True if the connection was closed, although the body seems complete. */
  isCutOff(): Promise<boolean>;
  /** The key that sends it; null: the service itself. */
  keyId: number | null;
}

/** A deploy, and whether it is the one that is served. */
export type ListedDeploy = Deploy & { active: boolean };

export interface DeployService {
  /**
   * Unpacks, stores and publishes the archive; what is served does not change before all of it is on disk. One that is
   * refused is recorded with its reason.
   * @throws Fault not_found, payload_too_large, invalid_archive, quota_exceeded, rate_limited when too many are under way,
   * storage_unavailable when the disk has too little room
   */
  upload(slug: string, upload: Upload): Promise<ListedDeploy>;
  /** Publishes files of the service's own, unless a deploy is served by then. */
  publishFirst(slug: string, files: AsyncIterable<UnpackedFile>): Promise<void>;
  /** Newest first. @throws Fault not_found, invalid_cursor */
  list(slug: string, query: { limit: number; cursor: string | undefined }): Promise<Page<ListedDeploy>>;
  /** @throws Fault not_found */
  get(slug: string, id: number): Promise<ListedDeploy>;
  /** Serves an earlier deploy again. @throws Fault not_found, deploy_failed if it is one that failed */
  activate(slug: string, id: number): Promise<ListedDeploy>;
  /** Deletes a deploy. Files that no other deploy needs go with the next sweep. @throws Fault not_found, deploy_active */
  remove(slug: string, id: number): Promise<void>;
  /** True before the first deploy of any project, whatever became of it. */
  isUntouched(): Promise<boolean>;
  /** The hashes of all blobs that deploys need. */
  needed(): Promise<ReadonlySet<string>>;
  /** Removes the files that no deploy needs any more, and uploads that a crash left. @returns how many files */
  sweep(): Promise<number>;
}

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

const noRoom = () =>
  new Fault(
    "storage_unavailable",
    "The server's disk has too little room for this deploy. Nothing of it was stored, and the site before is still served. Try again once there is room.",
    { "retry-after": "60", connection: "close" },
  );

/** The fault that an upload ends with. */
const faultOf = (error: unknown, limit: number): unknown => {
  if (error instanceof UploadTooLarge) return tooLarge(limit);
  if (error instanceof InsufficientSpace) return noRoom();
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
  room,
  uploadLimit,
  projectQuota,
  clock,
}: {
  deploys: DeployRepository;
  projects: Pick<ProjectService, "get">;
  blobs: Blobs;
  uploads: Uploads;
  admission: Admission;
  room: DiskSpace;
  /** Bytes of an archive. */
  uploadLimit: number;
  /** Bytes that the kept deploys of one project may take. */
  projectQuota: number;
  clock: Clock;
}): DeployService => {
  const inTurn = keyedMutex();

  const get = async (slug: string, id: number): Promise<ListedDeploy> => {
    const project = await projects.get(slug);
    const deploy = await deploys.find(project.id, id);
    if (!deploy) throw notFound();
    return listedFor(project.activeDeployId)(deploy);
  };

  /** What is served now; undefined if nothing is, or if it cannot be read, which must not keep a new deploy away. */
  const servedBy = async ({ id, activeDeployId }: Project): Promise<Manifest | undefined> => {
    const served = activeDeployId === null ? undefined : await deploys.find(id, activeDeployId);
    if (!served?.manifest) return undefined;
    return loadManifest(blobs, served.manifest).catch(() => undefined);
  };

  /** Counts the deploy and those that stay beside it, without the oldest, which it replaces. @throws Fault quota_exceeded */
  const assertQuota = async (
    projectId: number,
    extent: DeploySize,
    { manifest, stored }: Pick<StoredSite, "manifest" | "stored">,
  ) => {
    const staying = await deploys.listRetained(projectId);
    // Most projects are so far below the quota that no manifest needs to be read.
    const bound = [extent, ...staying].reduce((sum, one) => sum + maxDiskBytes(one), 0);
    if (bound <= projectQuota) return;
    const total = diskUsage();
    total.add(manifest, stored);
    for (const { manifest: hash } of staying)
      if (hash !== null)
        total.add(await loadManifest(blobs, hash).catch(() => new Map()), {
          hash,
          size: Bun.file(blobs.pathOf(hash)).size,
        });
    if (total.bytes() > projectQuota) throw quotaExceeded(total.bytes(), projectQuota);
  };

  const store = async (
    project: Project,
    { keyId, isFirst = false }: { keyId: number | null; isFirst?: boolean },
    files: AsyncIterable<UnpackedFile>,
  ): Promise<Deploy | undefined> => {
    const { manifest, stored, bytes, release, discard } = await storeSite(
      files,
      blobs,
      await servedBy(project),
    );
    const extent = { files: manifest.size, bytes };
    return inTurn(project.id, async () => {
      try {
        if (!isFirst) await assertQuota(project.id, extent, { manifest, stored });
      } catch (error) {
        discard();
        throw error;
      }
      try {
        const upload = { projectId: project.id, keyId, createdAt: clock.now() };
        return await deploys.succeed({ ...upload, ...extent, manifest: stored.hash }, { isFirst });
      } finally {
        // Not discarded after an error: the deploy may have been recorded.
        release();
      }
    });
  };

  const storeArchive = async (project: Project, keyId: number | null, file: string) => {
    try {
      const deploy = await store(project, { keyId }, unpack(file, UNPACK_LIMITS));
      if (!deploy) throw new Fault("not_found", "The project was deleted meanwhile.");
      return deploy.id;
    } catch (error) {
      const isQuota = error instanceof Fault && error.code === "quota_exceeded";
      if (!(error instanceof InvalidArchive || isQuota)) throw error;
      const upload = { projectId: project.id, keyId, createdAt: clock.now() };
      await deploys.fail({ ...upload, reason: error.message });
      throw isQuota ? error : new Fault("invalid_archive", error.message);
    }
  };

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
    isUntouched: () => deploys.isUntouched(),
    async upload(slug, { length = 0, body, isCutOff, keyId }) {
      const project = await projects.get(slug);
      if (length > uploadLimit) throw tooLarge(uploadLimit);
      const leave = admission.admit(keyId ?? 0);
      try {
        room.assertFree(length);
        const stored = await uploads.receive(body, async (file) => {
          if (await isCutOff()) throw new UploadCutOff("the connection was closed");
          return admission.unpack(() => storeArchive(project, keyId, file));
        });
        return await get(slug, stored);
      } catch (error) {
        throw faultOf(error, uploadLimit);
      } finally {
        leave();
      }
    },
    async publishFirst(slug, files) {
      await store(await projects.get(slug), { keyId: null, isFirst: true }, files);
    },
    async list(slug, { limit, cursor }) {
      const { id, activeDeployId } = await projects.get(slug);
      const list = `deploys:${id}`;
      const before = cursor === undefined ? NEWEST : readCursor(cursor, list);
      const found = await deploys.list({ projectId: id, before, limit: limit + 1 });
      return cutPage(found.map(listedFor(activeDeployId)), limit, list);
    },
    async activate(slug, id) {
      const deploy = await get(slug, id);
      if (deploy.status === "failed")
        throw new Fault("deploy_failed", `Deploy ${id} failed and cannot be served: ${deploy.reason ?? ""}`);
      const activated = await deploys.activate(deploy.projectId, id);
      if (!activated) throw notFound();
      return { ...activated, active: true };
    },
    async remove(slug, id) {
      const { projectId } = await get(slug, id);
      if (await deploys.remove(projectId, id)) return;
      // It is served, or another request has deleted it meanwhile.
      await get(slug, id);
      throw new Fault("deploy_active");
    },
    sweep() {
      if (admission.isIdle()) uploads.clear();
      return blobs.sweep(needed);
    },
  };
};
