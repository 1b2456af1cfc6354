import type { Mutant } from "./mutants.ts";

/** A mutant that may live, and why: mostly, it does the same as the module. */
export interface Survivor extends Pick<Mutant, "was" | "becomes"> {
  module: string;
  reason: string;
}

/** Held to be true: the run fails for one that is killed, or that its module no longer has. */
export const SURVIVORS: readonly Survivor[] = [];
