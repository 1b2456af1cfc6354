import type { Actor } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import type { Clock } from "../lib/time.ts";
import type { Project } from "../projects/service.ts";
import { type UnpackedFile, unpack } from "./archive.ts";
import type { Blobs } from "./blobs.ts";
import { InvalidArchive, UNPACK_LIMITS } from "./invalid-archive.ts";
import { type Manifest, hashesOf, loadManifest } from "./manifest.ts";
import { keyedMutex } from "./mutex.ts";
import { assertQuota } from "./quota.ts";
import type { Uploader } from "./remote/uploader.ts";
import type { Deploy, DeployRepository } from "./repository.ts";
import { storeSite } from "./store-site.ts";

/** The served deploy; undefined without one, or if it cannot be read: a damaged deploy must not prevent a new one. */
const servedManifest = async (
  { id, activeDeployId }: Project,
  { deploys, blobs }: { deploys: DeployRepository; blobs: Blobs },
): Promise<Manifest | undefined> => {
  const served = activeDeployId === null ? undefined : await deploys.find(id, activeDeployId);
  if (!served?.manifest) return undefined;
  return loadManifest(blobs, served.manifest).catch(() => undefined);
};

/** Stores files and makes them the served deploy of a project. */
export const sitePublisher = ({
  deploys,
  blobs,
  uploader,
  projectQuota,
  clock,
}: {
  deploys: DeployRepository;
  blobs: Blobs;
  /** Undefined: the files stay on this machine. */
  uploader: Pick<Uploader, "upload"> | undefined;
  /** Bytes that the kept deploys of one project may take. */
  projectQuota: number;
  clock: Clock;
}) => {
  const oneAtATime = keyedMutex();

  /**
   * @returns undefined as `DeployRepository.succeed` does
   * @throws Fault quota_exceeded, or storage_unavailable without the object store; InvalidArchive, InsufficientSpace
   */
  const publishFiles = async (
    project: Project,
    files: AsyncIterable<UnpackedFile>,
    actor: Actor,
  ): Promise<Deploy | undefined> => {
    const site = await storeSite(files, blobs, await servedManifest(project, { deploys, blobs }));
    return oneAtATime(project.id, async () => {
      let onRecorded: (() => void) | undefined;
      try {
        await assertQuota(site, {
          blobs,
          retained: await deploys.listRetained(project.id),
          quota: projectQuota,
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

  return {
    /** Publishes an archive on disk, or records why it was refused. @throws Fault not_found, invalid_archive, quota_exceeded */
    async publishArchive(project: Project, file: string, actor: Actor): Promise<Deploy> {
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
    },
  };
};
