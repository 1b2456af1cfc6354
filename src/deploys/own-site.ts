import { SERVICE } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import type { ProjectService } from "../projects/service.ts";
import type { UnpackedFile } from "./archive.ts";
import type { DeployService } from "./service.ts";

const PROJECT = { slug: "docs", name: "Documentation", plan: "pro" } as const;

/** The files of a site: their path and their text. */
export type SiteFiles = AsyncGenerator<readonly [path: string, text: string]>;

/** The site that the service publishes about itself. */
export interface OwnSite {
  /** The path of a file that only this edition of the site has. */
  marker: string;
  /** All files. Called only if the site is published; if it throws, the site is not. */
  files(): SiteFiles;
}

async function* unpacked(files: SiteFiles): AsyncGenerator<UnpackedFile> {
  for await (const [path, text] of files) {
    const bytes = new TextEncoder().encode(text);
    yield {
      path,
      size: bytes.length,
      content: (async function* () {
        yield bytes;
      })(),
    };
  }
}

/** Calls `act`, and ignores a fault with this code. */
const unless = async <Value>(code: Fault["code"], act: () => Promise<Value>): Promise<Value | undefined> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Fault && error.code === code) return undefined;
    throw error;
  }
};

/**
 * Publishes the service's own site as project `docs`: at the first start, so that a new installation has something to show, and
 * again with each new edition while the project serves a deploy that the service made. A site that somebody deployed or
 * deleted is never replaced, and an older edition that somebody activated stays until the next one. It can run again, also
 * after a crash in the middle, and reads one manifest if there is nothing to do.
 */
export const publishOwnSite = async (
  { marker, files }: OwnSite,
  {
    projects,
    deploys,
  }: {
    projects: Pick<ProjectService, "create">;
    deploys: Pick<DeployService, "isUntouched" | "ownDeploys" | "publishOwn">;
  },
): Promise<void> => {
  const isFirst = await deploys.isUntouched();
  if (isFirst) await unless("slug_taken", () => projects.create(PROJECT, SERVICE));
  const own = await unless("not_found", () => deploys.ownDeploys(PROJECT.slug, marker));
  if (!own || own.hasFile || !(isFirst || own.isServed)) return;
  await deploys.publishOwn(PROJECT.slug, unpacked(files()), own.activeDeployId);
};
