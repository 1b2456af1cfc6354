import { join } from "node:path";

/** The root of the source, next to package.json. */
export const SOURCE = join(import.meta.dir, "../..");

/** The commit of a source tree, with `-dirty` after it if its files differ. Undefined outside a git repository. */
export const commitOf = (directory: string): string | undefined => {
  const command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  try {
    const { success, stdout } = Bun.spawnSync(command, { cwd: directory, stderr: "ignore" });
    return success ? stdout.toString().trim() : undefined;
  } catch {
    return undefined; // git is not installed.
  }
};
