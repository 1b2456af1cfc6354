import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { attempt } from "./attempt.ts";

/** The build defines it. The source and a build outside a git repository have none. */
declare const BUILD_COMMIT: string | undefined;

/** The commit of this build, with `-dirty` after it if the files differed. */
export const COMMIT = typeof BUILD_COMMIT === "undefined" ? undefined : BUILD_COMMIT;

/** Semantic Versioning: the commit is build metadata, so that two builds of one version differ. */
export const VERSION = COMMIT === undefined ? manifest.version : `${manifest.version}+${COMMIT}`;

/** The root of the source, next to package.json. */
export const SOURCE = join(import.meta.dir, "../..");

/** The commit of a source tree, with `-dirty` after it if its files differ. Undefined outside a git repository. */
export const commitOf = (directory: string): string | undefined => {
  const command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  // Undefined if git is not installed.
  const result = attempt(() => Bun.spawnSync(command, { cwd: directory, stderr: "ignore" }));
  return result?.success ? result.stdout.toString().trim() : undefined;
};
