import type { Actor } from "../../lib/actor.ts";
import { Fault } from "../../lib/errors.ts";
import { keyedLimiter } from "../../lib/limiter.ts";
import { type Page, type PageQuery, pageBefore } from "../../lib/pagination.ts";
import type { Context } from "../../data/context.ts";
import type { Project, ProjectService } from "../projects/service.ts";
import { InvalidArchive, UNPACK_LIMITS } from "./archive-rules.ts";
import { type UnpackedFile, unpack } from "./archive.ts";
import type { BlobSource, Blobs, Stored } from "./blobs.ts";
import { type Manifest, blobSizes, hashesInManifest, hashesOf, loadManifest } from "./manifest.ts";
import type { Uploader } from "./remote/uploader.ts";
import { type Deploy, type DeployRepository, deployRepository } from "./repository.ts";
import { storeSite } from "./store-site.ts";
import { type ReceiveOptions, type Upload, receiveUpload } from "./uploads.ts";

/** The size of a deploy, known without its manifest. */
interface DeploySize {
  files: number;
  /** Bytes of all files, unpacked. */
  bytes: number;
}

/** A file has at most two compressed copies, and each saves at least an eighth. */
const MAX_FACTOR = 1 + 2 * (7 / 8);
/** The largest entry of a manifest. */
const MAX_ENTRY_BYTES = 8192;

/** An upper bound for the disk space of a deploy. */
const maxDiskBytes = ({ files, bytes }: DeploySize): number => MAX_FACTOR * bytes + MAX_ENTRY_BYTES * files;

/** Adds up the disk space of one project's deploys. A blob that several deploys share counts once. */
const diskUsage = () => {
  const blobs = new Map<string, number>();
  return {
    /** @param stored the manifest's own blob */
    add(manifest: Manifest, stored: Stored): void {
      blobs.set(stored.hash, stored.size);
      for (const file of manifest.values()) for (const [hash, size] of blobSizes(file)) blobs.set(hash, size);
    },
    bytes: (): number => blobs.values().reduce((sum, size) => sum + size, 0),
  };
};

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;

const quotaExceeded = (needed: number, quota: number): Fault =>
  new Fault(
    "quota_exceeded",
    `With this deploy the project would take ${mebibytes(needed)} of its ${mebibytes(quota)}: delete deploys that you no longer need, then deploy again.`,
  );

interface QuotaOptions {
  blobs: BlobSource;
  /** The deploys of the project that stay in addition to the new one. */
  retained: readonly (DeploySize & { manifest: string | null })[];
  /** Bytes. */
  quota: number;
}

/** @throws Fault quota_exceeded if a new deploy and the retained ones take more than the quota */
const assertQuota = async (
  { manifest, stored, bytes }: { manifest: Manifest; stored: Stored; bytes: number },
  { blobs, retained, quota }: QuotaOptions,
): Promise<void> => {
  // Most projects are so far below the quota that no manifest needs to be read.
  const bound = [{ files: manifest.size, bytes }, ...retained].reduce(
    (sum, one) => sum + maxDiskBytes(one),
    0,
  );
  if (bound <= quota) return;
  const usage = diskUsage();
  usage.add(manifest, stored);
  for (const { manifest: hash } of retained)
    if (hash !== null)
      usage.add(await loadManifest(blobs, hash).catch(() => new Map()), {
        hash,
        size: Bun.file(blobs.pathOf(hash)).size,
      });
  if (usage.bytes() > quota) throw quotaExceeded(usage.bytes(), quota);
};

/** The served deploy; undefined without one, or if it cannot be read: a damaged deploy must not prevent a new one. */
const servedManifest = async (
  { id, activeDeployId }: Project,
  { deploys, blobs }: { deploys: DeployRepository; blobs: Blobs },
): Promise<Manifest | undefined> => {
  const served = activeDeployId === null ? undefined : await deploys.find(id, activeDeployId);
  if (!served?.manifest) return undefined;
  return loadManifest(blobs, served.manifest).catch(() => undefined);
};

/** A deploy, and whether it is the served one. */
export type ListedDeploy = Deploy & { active: boolean };

const withActive =
  (activeDeployId: number | null) =>
  (deploy: Deploy): ListedDeploy => ({ ...deploy, active: deploy.id === activeDeployId });

const notFound = () => new Fault("not_found", "The project has no deploy with this id.");

interface DeployServiceOptions extends Omit<ReceiveOptions, "uploadLimit"> {
  projects: Pick<ProjectService, "get">;
  blobs: Blobs;
  /** Stores files in an object store before a deploy is recorded. */
  uploader?: Pick<Uploader, "upload"> | undefined;
}

/** @throws if the manifest cannot be read */
const hashesInWhole = async (blobs: BlobSource, manifest: string): Promise<Iterable<string>> =>
  hashesOf(await loadManifest(blobs, manifest));

/** The hashes of all blobs that deploys and photos need. */
const neededBlobs = async (
  deploys: Pick<DeployRepository, "manifests" | "photoHashes">,
  blobs: BlobSource,
  hashesIn = hashesInManifest,
): Promise<Set<string>> => {
  const hashes = new Set<string>();
  for (const manifest of await deploys.manifests()) {
    hashes.add(manifest);
    for (const hash of await hashesIn(blobs, manifest)) hashes.add(hash);
  }
  for await (const hash of deploys.photoHashes()) hashes.add(hash);
  return hashes;
};

export const deployService = (
  { config, database, clock }: Context,
  { projects, blobs, uploader, ...receiving }: DeployServiceOptions,
) => {
  const deploys = deployRepository(database);
  /** The deploys of a project are recorded one at a time. */
  const inTurn = keyedLimiter<number>(1);

  /**
   * Stores files and makes them the served deploy of a project.
   * @returns undefined as `DeployRepository.succeed` does
   * @throws Fault quota_exceeded, or storage_unavailable without the object store; InvalidArchive, InsufficientSpace
   */
  const publishFiles = async (
    project: Project,
    files: AsyncIterable<UnpackedFile>,
    actor: Actor,
  ): Promise<Deploy | undefined> => {
    const site = await storeSite(files, blobs, await servedManifest(project, { deploys, blobs }));
    return inTurn(project.id, async () => {
      let onRecorded: (() => void) | undefined;
      try {
        await assertQuota(site, {
          blobs,
          retained: await deploys.listRetained(project.id),
          quota: config.projectQuota,
        });
        onRecorded = await uploader?.upload(site.stored.hash, hashesOf(site.manifest));
      } catch (error) {
        site.discard();
        throw error;
      }
      try {
        const deploy = await deploys.succeed(
          project,
          { files: site.manifest.size, bytes: site.bytes, manifest: site.stored.hash },
          { actor, now: clock.now() },
        );
        onRecorded?.();
        return deploy;
      } finally {
        // Not discarded after an error: the deploy may have been recorded.
        site.release();
      }
    });
  };

  /** Publishes an archive on disk, or records why it was refused. @throws Fault not_found, invalid_archive, quota_exceeded */
  const publishArchive = async (project: Project, file: string, actor: Actor): Promise<Deploy> => {
    try {
      const deploy = await publishFiles(project, unpack(file, UNPACK_LIMITS), actor);
      if (!deploy) throw new Fault("not_found", "The project was deleted meanwhile.");
      return deploy;
    } catch (error) {
      const isQuota = error instanceof Fault && error.code === "quota_exceeded";
      if (!(error instanceof InvalidArchive || isQuota)) throw error;
      const { message: reason } = error;
      await deploys.fail(project, reason, { actor, now: clock.now() });
      throw isQuota ? error : new Fault("invalid_archive", reason);
    }
  };

  /** @throws Fault not_found */
  const get = async (slug: string, id: number): Promise<ListedDeploy> => {
    const project = await projects.get(slug);
    const deploy = await deploys.find(project.id, id);
    if (!deploy) throw notFound();
    return withActive(project.activeDeployId)(deploy);
  };

  const needed = () => neededBlobs(deploys, blobs);

  return {
    get,
    needed,
    /** As `needed`, for callers that permanently remove all other blobs. @throws if a manifest cannot be read */
    neededExactly: () => neededBlobs(deploys, blobs, hashesInWhole),
    /** The manifests of served deploys. */
    activeManifests: () => deploys.activeManifests(),
    /**
     * Unpacks, stores and publishes an archive. The served deploy changes only once all of the new one is on disk. A refused
     * archive is recorded with its reason.
     * @throws Fault not_found, payload_too_large, invalid_archive, quota_exceeded, rate_limited if there are too many uploads,
     * storage_unavailable if the disk has too little space
     */
    async upload(slug: string, upload: Upload): Promise<ListedDeploy> {
      const project = await projects.get(slug);
      const { id } = await receiveUpload(upload, { ...receiving, uploadLimit: config.deployLimit }, (file) =>
        publishArchive(project, file, upload.actor),
      );
      return get(slug, id);
    },
    /** Newest first. @throws Fault not_found, invalid_cursor */
    async list(slug: string, query: PageQuery): Promise<Page<ListedDeploy>> {
      const { id, activeDeployId } = await projects.get(slug);
      return pageBefore(query, `deploys:${id}`, async (page) =>
        (await deploys.list({ projectId: id, ...page })).map(withActive(activeDeployId)),
      );
    },
    /** Serves an earlier deploy again. @throws Fault not_found, deploy_failed if the deploy had failed */
    async activate(slug: string, id: number, actor: Actor): Promise<ListedDeploy> {
      const deploy = await get(slug, id);
      if (deploy.status === "failed")
        throw new Fault("deploy_failed", `Deploy ${id} failed and cannot be served: ${deploy.reason ?? ""}`);
      const act = { actor, now: clock.now() };
      const activated = await deploys.activate({ id: deploy.projectId, slug }, id, act);
      if (!activated) throw notFound();
      return { ...activated, active: true };
    },
    /** Deletes a deploy. The next sweep removes files that no other deploy needs. @throws Fault not_found, deploy_active */
    async remove(slug: string, id: number, actor: Actor): Promise<void> {
      const { projectId } = await get(slug, id);
      const act = { actor, now: clock.now() };
      if (await deploys.remove({ id: projectId, slug }, id, act)) return;
      // It is the served deploy, or another request has deleted it: `get` then throws.
      await get(slug, id);
      throw new Fault("deploy_active");
    },
    /** Removes files that no deploy and no photo needs, and uploads that a crash left. @returns how many files */
    sweep(): Promise<number> {
      if (receiving.admission.isIdle()) receiving.uploads.clear();
      return blobs.sweep(needed);
    },
  };
};

export type DeployService = ReturnType<typeof deployService>;
