import { mmap } from "bun";
import { join } from "node:path";
import { run } from "../programs.ts";

/** A library that sets the clock of processes, and changes it while they run. */
export const settableClock = async (place: string) => {
  const library = join(place, "clock.so");
  const source = join(import.meta.dir, "clock.c");
  const flags = ["-shared", "-fPIC", "-O2", "-Wall", "-Werror"];
  const { code, stderr } = await run(["gcc", ...flags, "-o", library, source, "-ldl"], {
    env: { TMPDIR: place },
  });
  if (code !== 0) throw new Error(stderr);
  const path = join(place, "offset");
  await Bun.write(path, new Uint8Array(8));
  const offset = new BigInt64Array(mmap(path, { shared: true }).buffer, 0, 1);
  return {
    env: { LD_PRELOAD: library, CLOCK_OFFSET: path },
    jump: (seconds: number) => void Atomics.store(offset, 0, BigInt(seconds)),
  };
};
