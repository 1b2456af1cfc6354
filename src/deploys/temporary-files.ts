import { closeSync, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import { makeOwnedDirectories } from "../lib/ownership.ts";

/** Files that are being written, in a directory of their own. Any other file there was left by a crash. */
export const temporaryFiles = (directory: string) => {
  const writing = new Set<string>();
  const pathOf = (name: string) => `${directory}/${name}`;

  const drop = (name: string): void => {
    rmSync(pathOf(name), { force: true });
    writing.delete(name);
  };

  /** A name for a file that the caller writes, and then drops or releases. */
  const reserve = (): string => {
    const name = crypto.randomUUID();
    writing.add(name);
    return name;
  };

  return {
    pathOf,
    drop,
    reserve,
    makeDirectory: () => makeOwnedDirectories(directory),
    /** Forgets a file that the caller has moved. */
    release: (name: string) => void writing.delete(name),
    /** Writes a file and returns its name. If `write` fails, nothing is left. */
    async write(write: (handle: number) => Promise<void> | void): Promise<string> {
      const name = reserve();
      const handle = openSync(pathOf(name), "wx", 0o600);
      try {
        await write(handle);
        return name;
      } catch (error) {
        drop(name);
        throw error;
      } finally {
        closeSync(handle);
      }
    },
    /** Removes files that a crash left. @returns how many */
    sweep(): number {
      if (!existsSync(directory)) return 0;
      const left = readdirSync(directory).filter((name) => !writing.has(name));
      for (const name of left) rmSync(pathOf(name), { force: true });
      return left.length;
    },
  };
};

export type TemporaryFiles = ReturnType<typeof temporaryFiles>;
