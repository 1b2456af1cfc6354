import { Fault } from "../lib/errors.ts";
import type { ProjectService } from "../projects/service.ts";
import type { UnpackedFile } from "./archive.ts";
import type { DeployService } from "./service.ts";

const FIRST_PROJECT = { slug: "docs", name: "Documentation", plan: "pro" } as const;

async function* filesOf(site: ReadonlyMap<string, string>): AsyncGenerator<UnpackedFile> {
  for (const [path, text] of site) {
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

/**
 * Publishes a first site as project `docs`, so that a new installation has something to show. Does nothing if anything was
 * ever deployed: a site that an operator deleted stays deleted. It can run again, also after a crash in the middle.
 */
export const publishFirst = async (
  site: () => Promise<ReadonlyMap<string, string>>,
  {
    projects,
    deploys,
  }: {
    projects: Pick<ProjectService, "create">;
    deploys: Pick<DeployService, "publishFirst" | "isUntouched">;
  },
): Promise<void> => {
  if (!(await deploys.isUntouched())) return;
  try {
    await projects.create(FIRST_PROJECT);
  } catch (error) {
    if (!(error instanceof Fault && error.code === "slug_taken")) throw error;
  }
  await deploys.publishFirst(FIRST_PROJECT.slug, filesOf(await site()));
};
