import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../lib/durable.ts";

export interface Owner {
  uid: number;
  gid: number;
}

export const ROOT: Owner = { uid: 0, gid: 0 };

export const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, "utf8") : undefined;

/** Replaces a file in one step, durably. The directory is created if it is missing. */
export const writeFileAs = async (
  path: string,
  text: string,
  mode: number,
  { uid, gid }: Owner = ROOT,
): Promise<void> => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  chownSync(temporary, uid, gid);
  chmodSync(temporary, mode);
  await replaceFile(temporary, path);
};

/** Copies an executable in one step, durably: another process may run the old file meanwhile. */
export const copyExecutable = async (from: string, to: string): Promise<void> => {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  const temporary = `${to}.new`;
  rmSync(temporary, { force: true });
  await copyFile(from, temporary);
  chownSync(temporary, 0, 0);
  chmodSync(temporary, 0o755);
  await replaceFile(temporary, to);
};

export const hashFile = async (path: string): Promise<string> => {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest("hex");
};

export const ownerOf = (path: string): Owner | undefined => statSync(path, { throwIfNoEntry: false });
