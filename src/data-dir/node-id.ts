import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { nodeIdPath } from "./paths.ts";

const FORM = /^[0-9a-f-]{36}\n?$/;

const read = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, "utf8");
    return FORM.test(text) ? text.trim() : undefined;
  } catch {
    return undefined;
  }
};

/** The id of this node, created at the first call. A copy of DATA_DIR has the same: remove the file there. @throws the system's error */
export const nodeIdOf = (dataDir: string): string => {
  const path = nodeIdPath(dataDir);
  const existing = read(path);
  if (existing !== undefined) return existing;
  const id = crypto.randomUUID();
  try {
    writeFileSync(path, `${id}\n`, { mode: 0o600, flag: "wx" });
    return id;
  } catch (error) {
    // Another process was first, or the file is damaged.
    const other = read(path);
    if (other !== undefined) return other;
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  writeFileSync(path, `${id}\n`);
  chmodSync(path, 0o600);
  return id;
};
