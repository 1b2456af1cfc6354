import { expect } from "bun:test";
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { directory, real, run } from "./support.ts";

const test = real();

const ROOT = resolve(import.meta.dir, "../..");

/** Copies what is built. */
const copySource = (place: string): void => {
  mkdirSync(place, { recursive: true });
  for (const name of ["src", "drizzle", "test/build", "package.json", "bun.lock", "tsconfig.json"])
    cpSync(join(ROOT, name), join(place, name), { recursive: true });
};

/** Installs and builds in this directory. @returns the hash of the executable */
const build = async (place: string): Promise<string> => {
  const { code, stderr } = await run([process.execPath, "run", "build"], {
    cwd: place,
    // The cache of packages is below it.
    env: { HOME: process.env["HOME"] ?? "/root" },
  });
  if (code !== 0) throw new Error(stderr);
  return new Bun.CryptoHasher("sha256")
    .update(await Bun.file(join(place, "dist/adoption-store")).bytes())
    .digest("hex");
};

test("two builds in two directories are the same byte for byte", async () => {
  const one = directory();
  const other = directory();
  const places = [join(one, "a"), join(other, "a/much/longer/path")] as const;
  places.forEach(copySource);
  expect(await build(places[0])).toBe(await build(places[1]));
});
