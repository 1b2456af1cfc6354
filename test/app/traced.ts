// Prints the files of `src` whose functions run between a request and its response, for each of some requests. A plugin adds a
// call at the beginning of each function.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { plugin } from "bun";
import ts from "typescript";
import { tarGzOf } from "../platform/deploys/archives.ts";

const SRC = join(import.meta.dir, "../../src");
const traced = new Set<string>();
Object.assign(globalThis, { traceFile: (file: string) => void traced.add(file) });

/** @returns the text with a call of `traceFile` in each function */
const instrument = (path: string, text: string): string => {
  const call = `globalThis.traceFile(${JSON.stringify(relative(SRC, path))})`;
  const additions: { at: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const body = node.body as ts.Node;
      if (ts.isBlock(body)) additions.push({ at: body.getStart() + 1, text: ` ${call};` });
      else additions.push({ at: body.getStart(), text: `(${call}, ` }, { at: body.getEnd(), text: ")" });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return additions
    .toSorted((a, b) => b.at - a.at)
    .reduce((changed, { at, text: added }) => changed.slice(0, at) + added + changed.slice(at), text);
};

plugin({
  name: "trace",
  setup(build) {
    build.onLoad({ filter: /\/src\/(?!pages\/(console|manual)\/ui\/).*\.ts$/ }, ({ path }) => ({
      // Bun runs no macros in a process with a plugin: the function is called when the module is loaded.
      contents: instrument(path, readFileSync(path, "utf8").replaceAll(' with { type: "macro" }', "")),
      loader: "ts",
    }));
  },
});

const { readConfig } = await import("../../src/config/config.ts");
const { startServer } = await import("../../src/app/server.ts");
const flags = { dataDir: process.argv[2], port: "0", logLevel: "error" };
const server = await startServer(readConfig({ flags, env: {}, isTerminal: false }));
const key = readFileSync(server.adminKey ?? "", "utf8").trim();

const call = async (method: string, path: string, type?: string, body?: string | Uint8Array<ArrayBuffer>) => {
  const headers = { authorization: `Bearer ${key}`, ...(type && { "content-type": type }) };
  const response = await fetch(server.url + path, { method, headers, ...(body && { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
};
const post = (path: string, body: unknown) => call("POST", path, "application/json", JSON.stringify(body));
const addPet = () => post("/v1/pets", { name: "Bella", categoryId: 3 });
const listPets = () => call("GET", "/v1/pets");

const REPEATS = 20;
/** @param before runs before each request, untraced */
const trace = async (request: (count: number) => Promise<void>, before?: () => Promise<void>) => {
  const runs: string[][] = [];
  for (let count = 0; count < REPEATS; count++) {
    await before?.();
    traced.clear();
    await request(count);
    runs.push([...traced]);
  }
  // The first request fills the caches, and background work may run during some of the others.
  return runs.toSorted((a, b) => a.length - b.length)[0];
};

await post("/platform/projects", { slug: "docs", name: "Docs", plan: "pro" });
const site = new Uint8Array(tarGzOf([{ name: "index.html", content: "docs" }]));
await call("POST", "/platform/projects/docs/deploys", "application/gzip", site);
const files = {
  uncachedList: await trace(listPets, addPet),
  cachedList: await trace(listPets),
  addedDomain: await trace((count) =>
    post("/platform/projects/docs/domains", { hostname: `docs${count}.example.org` }),
  ),
};
await server.stop();
console.log(JSON.stringify(files));
