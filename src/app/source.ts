import { sourceHash } from "./source-hash.ts" with { type: "macro" };

/** Changes with the source of this program, and so with everything that it can publish about itself. */
export const SOURCE = sourceHash();
