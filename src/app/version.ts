import manifest from "../../package.json" with { type: "json" };

/** The build defines it. The source and a build outside a git repository have none. */
declare const BUILD_COMMIT: string | undefined;

/** The commit of this build, with `-dirty` after it if the files differed. */
export const COMMIT = typeof BUILD_COMMIT === "undefined" ? undefined : BUILD_COMMIT;

/** Semantic Versioning: the commit is build metadata, so that two builds of one version differ. */
export const VERSION = COMMIT === undefined ? manifest.version : `${manifest.version}+${COMMIT}`;
