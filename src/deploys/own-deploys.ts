import { SERVICE } from "../lib/actor.ts";
import type { ProjectService } from "../projects/service.ts";
import type { UnpackedFile } from "./archive.ts";
import type { Blobs } from "./blobs.ts";
import { loadManifest } from "./manifest.ts";
import type { sitePublisher } from "./publish.ts";
import type { DeployRepository } from "./repository.ts";

/** The deploys that the service itself made for a project. */
interface OwnDeploys {
  /** The served deploy of the project, whoever made it. */
  activeDeployId: number | null;
  /** True if the service made the served deploy. */
  isServed: boolean;
  /** True if the newest that the service made has the file. */
  hasFile: boolean;
}

/** The deploys of the service itself. */
export const ownDeployService = ({
  deploys,
  projects,
  blobs,
  publishFiles,
}: {
  deploys: DeployRepository;
  projects: Pick<ProjectService, "get">;
  blobs: Blobs;
  publishFiles: ReturnType<typeof sitePublisher>["publishFiles"];
}) => ({
  /** True if no project ever had a deploy, not even a failed or deleted one. */
  isUntouched: (): Promise<boolean> => deploys.isUntouched(),
  /** @throws Fault not_found */
  async ownDeploys(slug: string, file: string): Promise<OwnDeploys> {
    const { id, activeDeployId } = await projects.get(slug);
    const served = activeDeployId === null ? undefined : await deploys.find(id, activeDeployId);
    const { manifest } = (await deploys.newestOwn(id)) ?? {};
    // A damaged manifest has no file, so that a new deploy replaces it.
    const files = manifest ? await loadManifest(blobs, manifest).catch(() => undefined) : undefined;
    return {
      activeDeployId,
      isServed: served?.keyId === null && served.personId === null,
      hasFile: files?.has(file) ?? false,
    };
  },
  /** Publishes the service's own files, if the project still serves the deploy `replaces`; null: no deploy. */
  async publishOwn(slug: string, files: AsyncIterable<UnpackedFile>, replaces: number | null): Promise<void> {
    await publishFiles(await projects.get(slug), files, { actor: SERVICE, replaces });
  },
});
