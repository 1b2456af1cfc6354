import type { DamagedBlobs } from "../../src/platform/deploys/blob-check.ts";

/** Repairs nothing: there is no object store. */
export const unrepaired = (damage: DamagedBlobs) => async (hash: string, problem: string) => {
  throw damage.add(hash, problem);
};
