import type { Actor } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import type { Clock } from "../lib/time.ts";
import type { ProjectService } from "../projects/service.ts";
import type { BlobSource, Blobs } from "./blobs.ts";
import { hashesInManifest, hashesOf, loadManifest } from "./manifest.ts";
import { sitePublisher } from "./publish.ts";
import type { Uploader } from "./remote/uploader.ts";
import { type ReceiveOptions, type Upload, receiveUpload } from "./uploads.ts";
import type { Deploy, DeployRepository } from "./repository.ts";

/** A deploy, and whether it is the served one. */
export type ListedDeploy = Deploy & { active: boolean };

/** Above every id. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const withActive =
  (activeDeployId: number | null) =>
  (deploy: Deploy): ListedDeploy => ({ ...deploy, active: deploy.id === activeDeployId });

const notFound = () => new Fault("not_found", "The project has no deploy with this id.");

interface DeployServiceOptions extends ReceiveOptions {
  deploys: DeployRepository;
  projects: Pick<ProjectService, "get">;
  blobs: Blobs;
  /** Stores files in an object store before a deploy is recorded. */
  uploader?: Uploader | undefined;
  /** Bytes that the kept deploys of one project may take. */
  projectQuota: number;
  clock: Clock;
}

/** @throws if the manifest cannot be read */
const hashesInWhole = async (blobs: BlobSource, manifest: string): Promise<Iterable<string>> =>
  hashesOf(await loadManifest(blobs, manifest));

/** The hashes of all blobs that deploys need. */
const neededBlobs = async (
  deploys: Pick<DeployRepository, "manifests">,
  blobs: BlobSource,
  hashesIn = hashesInManifest,
): Promise<Set<string>> => {
  const hashes = new Set<string>();
  for (const manifest of await deploys.manifests()) {
    hashes.add(manifest);
    for (const hash of await hashesIn(blobs, manifest)) hashes.add(hash);
  }
  return hashes;
};

export const deployService = ({
  deploys,
  projects,
  blobs,
  uploader,
  projectQuota,
  clock,
  ...receiving
}: DeployServiceOptions) => {
  const { publishArchive } = sitePublisher({ deploys, blobs, uploader, projectQuota, clock });

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
    /** As `needed`, for those who remove what it does not name for good. @throws if a manifest cannot be read */
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
      const { id } = await receiveUpload(upload, receiving, (file) =>
        publishArchive(project, file, upload.actor),
      );
      return get(slug, id);
    },
    /** Newest first. @throws Fault not_found, invalid_cursor */
    async list(
      slug: string,
      { limit, cursor }: { limit: number; cursor: string | undefined },
    ): Promise<Page<ListedDeploy>> {
      const { id, activeDeployId } = await projects.get(slug);
      const scope = `deploys:${id}`;
      const before = cursor === undefined ? NEWEST : readCursor(cursor, scope);
      const found = await deploys.list({ projectId: id, before, limit: limit + 1 });
      return cutPage(found.map(withActive(activeDeployId)), limit, scope);
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
    /** Removes files that no deploy needs, and uploads that a crash left. @returns how many files */
    sweep(): Promise<number> {
      if (receiving.admission.isIdle()) receiving.uploads.clear();
      return blobs.sweep(needed);
    },
  };
};

export type DeployService = ReturnType<typeof deployService>;
