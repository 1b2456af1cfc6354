import { expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { type Lockfile, createSbom } from "./sbom.ts";

const program = { name: "store", version: "1.0.0", description: "A store.", license: "MIT", bun: "1.4.4" };
const integrity = `sha512-${Buffer.from("hash").toString("base64")}`;

const lock: Lockfile = {
  workspaces: { "": { dependencies: { "@a/one": "1.0.0", two: "2.0.0" } } },
  packages: {
    "@a/one": ["@a/one@1.0.0", "", { dependencies: { two: "^3.0.0" } }, integrity],
    two: ["two@2.0.0", "", {}, integrity],
    "@a/one/two": ["two@3.0.0", "", { dependencies: { three: "1.0.0" } }, integrity],
    three: ["three@1.0.0", "", { dependencies: { "@a/one": "1.0.0" } }, integrity],
    compiler: ["compiler@9.0.0", "", {}, integrity],
  },
};

test("the runtime and what the program needs are listed, and what only its development needs is not", () => {
  const { components } = createSbom(program, lock, () => "MIT");
  expect(components.map(({ purl }) => purl)).toEqual([
    "pkg:github/oven-sh/bun@bun-v1.4.4",
    "pkg:npm/%40a/one@1.0.0",
    "pkg:npm/two@3.0.0",
    "pkg:npm/three@1.0.0",
    "pkg:npm/two@2.0.0",
  ]);
  expect(components[1]).toMatchObject({
    hashes: [{ alg: "SHA-512", content: Buffer.from("hash").toString("hex") }],
    licenses: [{ license: { id: "MIT" } }],
  });
});

test("a dependency means the version that is nearest", () => {
  const { dependencies } = createSbom(program, lock, () => undefined);
  expect(dependencies).toContainEqual({
    ref: "pkg:generic/store@1.0.0",
    dependsOn: ["pkg:github/oven-sh/bun@bun-v1.4.4", "pkg:npm/%40a/one@1.0.0", "pkg:npm/two@2.0.0"],
  });
  expect(dependencies).toContainEqual({ ref: "pkg:npm/%40a/one@1.0.0", dependsOn: ["pkg:npm/two@3.0.0"] });
});

test("every dependency of this program is listed", async () => {
  const text = await Bun.file(join(import.meta.dir, "../../bun.lock")).text();
  const { components } = createSbom({ ...program }, Bun.JSONC.parse(text) as Lockfile, () => undefined);
  const names = components.map(({ name }) => name);
  expect(Object.keys(manifest.dependencies).filter((name) => !names.includes(name))).toEqual([]);
  expect(names).not.toContain("typescript");
});
