import { mmap } from "bun";
import { constants } from "node:os";
import { join } from "node:path";
import { run } from "../programs.ts";

/** Which calls on files of the database fail. The values are those of inject.c. */
const KINDS = { write: 1, sync: 2, read: 3 } as const;

export type FaultKind = keyof typeof KINDS;

export interface Fault {
  kind: FaultKind;
  /** Which call is the first that fails, counted from 1. */
  first: number;
  /** How many calls fail; without it all, until the fault is cleared. */
  calls?: number;
  error: "EIO" | "ENOSPC" | "EDQUOT" | "EROFS";
}

/** Compiles the library that makes calls fail, and the file that steers it. */
export const injector = async (directory: string) => {
  const library = join(directory, "inject.so");
  const compiled = await run(
    [
      "gcc",
      "-shared",
      "-fPIC",
      "-O2",
      "-Wall",
      "-Werror",
      "-o",
      library,
      join(import.meta.dir, "inject.c"),
      "-ldl",
    ],
    // gcc finds its own programs, and needs a place for what lies between them.
    { env: { TMPDIR: directory } },
  );
  if (compiled.code !== 0) throw new Error(compiled.stderr);
  const path = join(directory, "control");
  await Bun.write(path, new Uint8Array(4096));
  const fields = new Int32Array(mmap(path, { shared: true }).buffer, 0, 5);
  const set = (at: number, value: number) => void Atomics.store(fields, at, value);
  return {
    env: { LD_PRELOAD: library, FAULT_CONTROL: path },
    /** Makes calls fail from now on. */
    begin({ kind, first, calls = -1, error }: Fault) {
      set(0, 0);
      set(1, first - 1);
      set(2, calls);
      set(3, constants.errno[error]);
      set(4, 0);
      set(0, KINDS[kind]);
    },
    end: () => set(0, 0),
    /** How many calls have failed since `begin`. */
    hits: () => Atomics.load(fields, 4),
  };
};

export type Injector = Awaited<ReturnType<typeof injector>>;
