import { existsSync, readFileSync } from "node:fs";
import { writeDurably } from "../lib/durable.ts";
import { isHash } from "./blob-check.ts";
import { NO_PROGRESS, type ScrubProgress } from "./scrub.ts";

const isHashText = (value: unknown): value is string => typeof value === "string" && isHash(value);

/** Reads the progress of the last scrub from a file. After a missing or malformed one, the next pass starts anew. */
export const readProgress = (path: string): ScrubProgress => {
  if (!existsSync(path)) return NO_PROGRESS;
  try {
    const { after, endedAt, damaged } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    return {
      after: isHashText(after) ? after : "",
      endedAt: Number.isSafeInteger(endedAt) ? Number(endedAt) : 0,
      damaged: Array.isArray(damaged) ? damaged.filter(isHashText) : [],
    };
  } catch {
    return NO_PROGRESS;
  }
};

export const progressFile = (path: string) => ({
  read: () => readProgress(path),
  write: (progress: ScrubProgress) => writeDurably(path, JSON.stringify(progress)),
});
