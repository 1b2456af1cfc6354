import { chownSync } from "node:fs";
import { join } from "node:path";

/** A user id without privileges. No such user has to exist. */
const USER = 12345;

/** True if this process may become another user. */
export const isRoot = process.getuid?.() === 0;

/** Gives files to the unprivileged user of `asUser`. Without root it does nothing. */
export const giveToUser = (...paths: string[]): void => {
  if (isRoot) for (const path of paths) chownSync(path, USER, USER);
};

/** Runs statements in a process of an unprivileged user. @param imports names by module, relative to src/ @returns its output */
export const asUser = async (imports: Record<string, string>, statements: string): Promise<string> => {
  const lines = Object.entries(imports).map(
    ([module, names]) =>
      `const { ${names} } = await import(${JSON.stringify(join(import.meta.dir, "../../src", module))});`,
  );
  // Modules are loaded first, because the sources may be readable by root only.
  const become = isRoot ? `process.setgroups([]); process.setgid(${USER}); process.setuid(${USER});` : "";
  const script = [...lines, become, statements].join("\n");
  const run = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  const output = await run.stdout.text();
  await run.exited;
  return output.trim();
};
