import { statSync } from "node:fs";

/** The size in bytes; 0 if the file is missing. */
export const fileSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Undefined if the file is missing. */
export const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
