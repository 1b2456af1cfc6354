/**
 * Called as a macro: what the page loads, written by Bun's bundler while this program is bundled or, in development, loaded.
 * @throws with what the bundler says
 */
export const bundle = (entry: string): string => {
  const path = `${import.meta.dir}/ui/${entry}`;
  const { stdout, stderr, success } = Bun.spawnSync({
    cmd: [process.execPath, "build", "--minify", "--target=browser", "--production", path],
    stderr: "pipe",
  });
  if (!success) throw new Error(stderr.toString());
  return stdout.toString();
};
