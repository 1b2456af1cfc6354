// Prints the files of `src` whose functions run between a request for the first page of animals and its response, while the
// page is cached. A plugin adds a call at the beginning of each function.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { plugin } from "bun";
import ts from "typescript";

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
      contents: instrument(path, readFileSync(path, "utf8")),
      loader: "ts",
    }));
  },
});

const { readConfig } = await import("../../src/config/config.ts");
const { startServer } = await import("../../src/app/server.ts");
const flags = { dataDir: process.argv[2], port: "0", logLevel: "error" };
const server = await startServer(readConfig({ flags, env: {}, isTerminal: false }));
const key = readFileSync(server.adminKey ?? "", "utf8").trim();
const read = async () => {
  const response = await fetch(`${server.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
};
const READS = 20;
const reads: string[][] = [];
for (let count = 0; count < READS; count++) {
  traced.clear();
  await read();
  reads.push([...traced]);
}
await server.stop();
// The first read fills the caches, and background work may run during some of the others.
console.log(JSON.stringify(reads.toSorted((a, b) => a.length - b.length)[0]));
