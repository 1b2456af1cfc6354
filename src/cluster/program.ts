import manifest from "../../package.json" with { type: "json" };

/** The version of this program, which its records carry. */
export const PROGRAM = manifest.version;
