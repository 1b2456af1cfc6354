import type { Mutant } from "./mutants.ts";

/** A mutant that may survive, and why: mostly because it behaves like the module. */
export interface Survivor extends Pick<Mutant, "was" | "becomes"> {
  module: string;
  reason: string;
}

/** Reads a list of survivors: a line `module: reason`, then their lines as a run prints them, `- ` before and `+ ` after. */
export const parseSurvivors = (text: string): Survivor[] => {
  const survivors: Survivor[] = [];
  let [module, reason, was] = ["", "", ""];
  for (const line of text.split("\n")) {
    const [, mark, rest = ""] = /^ {2}([-+]) (.*)$/.exec(line) ?? [];
    const [, named, why] = /^(\S+): (.+)$/.exec(line) ?? [];
    if (mark === "-") was = rest;
    else if (mark === "+") survivors.push({ module, reason, was, becomes: rest });
    else if (named !== undefined && why !== undefined) [module, reason] = [named, why];
    else if (line !== "" && !line.startsWith("#"))
      throw new Error(`survivors.txt: "${line}" is neither a module with its reason nor a changed line`);
  }
  return survivors;
};

/** The listed survivors. A run fails if one is killed or gone from its module. */
export const readSurvivors = async (): Promise<Survivor[]> =>
  parseSurvivors(await Bun.file(`${import.meta.dir}/survivors.txt`).text());
