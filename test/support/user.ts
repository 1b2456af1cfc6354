import { chownSync } from "node:fs";
import { join } from "node:path";

/** An ordinary user, whom permissions stop; nobody needs to know them. */
const USER = 12345;

/** Whether this process may become another user. */
export const isRoot = process.getuid?.() === 0;

/** Gives files to the ordinary user that `asUser` runs as; as that user already, it changes nothing. */
export const giveToUser = (...paths: string[]): void => {
  if (isRoot) for (const path of paths) chownSync(path, USER, USER);
};

/** Runs statements in a process of an ordinary user. @param imports names, by the module below src/ that has them @returns what it printed */
export const asUser = async (imports: Record<string, string>, statements: string): Promise<string> => {
  const lines = Object.entries(imports).map(
    ([module, names]) =>
      `const { ${names} } = await import(${JSON.stringify(join(import.meta.dir, "../../src", module))});`,
  );
  // Modules are loaded before: the sources may be readable for root alone.
  const become = isRoot ? `process.setgroups([]); process.setgid(${USER}); process.setuid(${USER});` : "";
  const script = [...lines, become, statements].join("\n");
  const run = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  const printed = await run.stdout.text();
  await run.exited;
  return printed.trim();
};
