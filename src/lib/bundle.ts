import { pack } from "./packed.ts";

/** `browser` adds rules for old browsers to a style sheet; `bun` leaves it as it is written. */
type Target = "browser" | "bun";

/**
 * A macro: Bun runs it when it bundles this program or, in development, loads it. Returns the bundled script or style sheet.
 * @param entry the path of the file below `src`
 * @throws Error with the message of the bundler
 */
export const bundle = (entry: string, target: Target = "browser"): string => {
  const path = `${import.meta.dir}/../${entry}`;
  const { stdout, stderr, success } = Bun.spawnSync({
    cmd: [process.execPath, "build", "--minify", `--target=${target}`, "--production", path],
    // The same bundle wherever it is made: libraries add development checks for anything else.
    env: { NODE_ENV: "production" },
    stderr: "pipe",
  });
  if (!success) throw new Error(stderr.toString());
  return stdout.toString();
};

/** A macro, as `bundle` is: the bundle, packed. */
export const packedBundle = (entry: string): string => pack(bundle(entry));
