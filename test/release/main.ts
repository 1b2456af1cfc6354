/** `bun run release`: the executables of all targets, their SBOM and SHA256SUMS, in `dist`. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { $, Glob } from "bun";
import manifest from "../../package.json" with { type: "json" };
import { type Lockfile, createSbom } from "./sbom.ts";

const ROOT = join(import.meta.dir, "../..");
const DIST = join(ROOT, "dist");

const licenseOf = (key: string): string | undefined => {
  // A package inside another one is in that one's node_modules, unless Bun could put it at the top.
  const nested = join(
    ROOT,
    "node_modules",
    key.replaceAll(/(?<!^)(?<!@[^/]*)\//g, "/node_modules/"),
    "package.json",
  );
  const path = existsSync(nested) ? nested : undefined;
  const { license } = path ? (require(path) as { license?: unknown }) : {};
  return typeof license === "string" ? license : undefined;
};

const writeSbom = async (path: string): Promise<void> => {
  const lock = Bun.JSONC.parse(await Bun.file(join(ROOT, "bun.lock")).text()) as Lockfile;
  const sbom = createSbom({ ...manifest, bun: manifest.engines.bun }, lock, licenseOf);
  await Bun.write(path, `${JSON.stringify(sbom, null, 2)}\n`);
};

const sumLine = async (name: string): Promise<string> => {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(join(DIST, name)).stream()) hasher.update(chunk);
  return `${hasher.digest("hex")}  ${name}\n`;
};

const main = async (): Promise<void> => {
  // Files of an earlier release would be in the list.
  for (const name of new Glob("adoption-store-*").scanSync(DIST)) rmSync(join(DIST, name));
  await $`bun run build:all`.cwd(ROOT);
  await writeSbom(join(DIST, `adoption-store-${manifest.version}.cdx.json`));
  const names = [...new Glob("adoption-store-*").scanSync(DIST)].toSorted();
  const sums = await Promise.all(names.map(sumLine));
  await Bun.write(join(DIST, "SHA256SUMS"), sums.join(""));
  process.stdout.write(sums.join(""));
};

await main();
