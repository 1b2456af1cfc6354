import { statSync } from "node:fs";

/** Bytes of a file; 0 for one that is missing. */
export const fileSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Undefined for a file that is missing. */
export const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
