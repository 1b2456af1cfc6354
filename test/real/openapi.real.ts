import { expect } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { PROGRAMS, command, directory, real, run, serve, store } from "./support.ts";

const withRedocly = real("@redocly/cli");
const withSpectral = real("@stoplight/spectral-cli");
const withCompiler = real("openapi-typescript", "openapi-fetch", "typescript");

const DOCUMENTS = ["store", "platform"];

/** Writes a document that the executable prints into a directory. @returns its file name */
const print = async (name: string, cwd: string): Promise<string> => {
  const { code, stdout, stderr } = await store(["openapi", name], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  await Bun.write(join(cwd, `${name}.json`), stdout);
  return `${name}.json`;
};

/** No report to its makers and no look for a newer version. */
const REDOCLY_QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" };

interface RedoclyReport {
  totals: { errors: number; warnings: number; ignored: number };
  problems: { ruleId: string; message: string; location: { pointer: string }[] }[];
}

/** Where a document comes from: printed, or served by a server with or without BASE_URL. */
const SOURCES: Record<string, (name: string, cwd: string) => Promise<string>> = {
  "that the executable prints": print,
  "that a server without BASE_URL serves": (name, cwd) => fetchDocument(name, cwd, {}),
  "that a server with BASE_URL serves": (name, cwd) =>
    fetchDocument(name, cwd, { BASE_URL: "https://adopt.shelter.test" }),
  "that a server with staging serves": (name, cwd) =>
    fetchDocument(name, cwd, {
      BASE_URL: "https://adopt.shelter.test",
      STAGING_BASE_URL: "https://staging.shelter.test",
    }),
};

/** The same, as a server serves it. */
const fetchDocument = async (name: string, cwd: string, env: Record<string, string>): Promise<string> => {
  await using server = await serve({ cwd, env });
  const path = name === "store" ? "/openapi.json" : "/platform/openapi.json";
  await Bun.write(join(cwd, `${name}.json`), await (await fetch(`${server.url}${path}`)).text());
  return `${name}.json`;
};

interface SpectralFinding {
  code: string;
  path: string[];
  message: string;
}

for (const name of DOCUMENTS)
  for (const [source, write] of Object.entries(SOURCES)) {
    withRedocly(
      `redocly's recommended-strict rules find nothing in the ${name} document ${source}`,
      async () => {
        const place = directory();
        const file = await write(name, place);
        const lint = [command("redocly"), "lint", "--extends=recommended-strict", "--format=json", file];
        const { stdout } = await run(lint, { cwd: place, env: REDOCLY_QUIET });
        const { totals, problems } = JSON.parse(stdout) as RedoclyReport;
        expect(problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).toEqual([]);
        expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
      },
    );

    withSpectral(`spectral:oas finds nothing in the ${name} document ${source}`, async () => {
      const place = directory();
      const file = await write(name, place);
      await Bun.write(join(place, "rules.yaml"), 'extends: ["spectral:oas"]\n');
      const lint = [command("spectral"), "lint", "--ruleset=rules.yaml", "--format=json", "--quiet", file];
      const { stdout } = await run(lint, { cwd: place });
      const findings = JSON.parse(stdout) as SpectralFinding[];
      expect(findings.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual([]);
    });
  }

/** A user's program with the generated types and openapi-fetch, and no other file of this project. */
const CLIENT = `
import createClient from "openapi-fetch";
import type { components, paths } from "./store.d.ts";

type Pet = components["schemas"]["Pet"];
type Refusal = components["schemas"]["Error"];

export const adopt = async (baseUrl: string, key: string) => {
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
  const added = await client.POST("/pets", { body: { name: "Bella", categoryId: 3, status: "available" } });
  if (!added.data) throw new Error(added.error.message);
  const pet: Pet = added.data;
  const { data: listed } = await client.GET("/pets", { params: { query: { limit: 5, status: "available" } } });
  const { data: fetched } = await client.GET("/pets/{petId}", { params: { path: { petId: pet.id } } });
  const { error } = await client.GET("/pets/{petId}", { params: { path: { petId: pet.id + 1 } } });
  const refusal: Refusal | undefined = error;
  // @ts-expect-error The types know which statuses there are.
  const unknown: Pet["status"] = "lost";
  return { pet, listed, fetched, refusal, unknown };
};
`;

/** Strict, and the generated declarations are checked too. */
const COMPILER = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: "esnext",
    module: "preserve",
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  },
  files: ["client.ts"],
};

withCompiler(
  "a client generated from the store document compiles and adds, lists and fetches an animal",
  async () => {
    const place = directory();
    const server = await serve({ cwd: place });
    symlinkSync(PROGRAMS, join(place, "node_modules"));
    await Bun.write(join(place, "client.ts"), CLIENT);
    await Bun.write(join(place, "tsconfig.json"), JSON.stringify(COMPILER));
    const file = await print("store", place);
    const generated = await run([command("openapi-typescript"), file, "-o", "store.d.ts"], {
      cwd: place,
    });
    expect(generated).toMatchObject({ code: 0 });
    expect(await run([command("tsc"), "--project", "."], { cwd: place })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const { adopt } = (await import(join(place, "client.ts"))) as {
      adopt(baseUrl: string, key: string): Promise<unknown>;
    };
    const pet = { id: 1, name: "Bella", categoryId: 3, status: "available" };
    expect(await adopt(`${server.url}/v1`, server.key)).toMatchObject({
      pet,
      listed: [pet],
      fetched: pet,
      refusal: { code: "not_found", message: expect.any(String), status: 404 },
    });
  },
);
