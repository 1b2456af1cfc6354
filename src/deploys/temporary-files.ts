import { closeSync, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import { makeOwned } from "../lib/ownership.ts";

/** Files that are being written, in a directory of their own; whatever else lies there a crash has left. */
export interface Temporary {
  pathOf(name: string): string;
  /** Makes the directory if it is not there. */
  make(): void;
  /** A name for a file that someone else writes; it is to be dropped or released. */
  reserve(): string;
  /** Writes a file and says its name; one that fails is not left there. */
  write(content: (handle: number) => Promise<void> | void): Promise<string>;
  drop(name: string): void;
  /** Says that a file has been moved away. */
  release(name: string): void;
  /** Removes what a crash left; says how many files. */
  sweep(): number;
}

export const temporaryFiles = (directory: string): Temporary => {
  const writing = new Set<string>();
  const pathOf = (name: string) => `${directory}/${name}`;

  const drop = (name: string): void => {
    rmSync(pathOf(name), { force: true });
    writing.delete(name);
  };

  const reserve = (): string => {
    const name = crypto.randomUUID();
    writing.add(name);
    return name;
  };

  return {
    pathOf,
    drop,
    reserve,
    make: () => makeOwned(directory),
    release: (name) => void writing.delete(name),
    async write(content) {
      const name = reserve();
      const handle = openSync(pathOf(name), "wx", 0o600);
      try {
        await content(handle);
        return name;
      } catch (error) {
        drop(name);
        throw error;
      } finally {
        closeSync(handle);
      }
    },
    sweep() {
      if (!existsSync(directory)) return 0;
      const left = readdirSync(directory).filter((name) => !writing.has(name));
      for (const name of left) rmSync(pathOf(name), { force: true });
      return left.length;
    },
  };
};
