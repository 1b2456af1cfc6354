import { expect, test } from "bun:test";
import { join } from "node:path";
import { manualFromProcess } from "../../src/app/manual-process.ts";
import { renderManual } from "../../src/app/manual.ts";
import { programDocuments } from "../../src/app/openapi.ts";
import { readConfig } from "../../src/config/config.ts";
import type { SiteFiles } from "../../src/deploys/own-site.ts";
import { outcomeOf } from "../support/outcome.ts";

const PROGRAM = [process.execPath, join(import.meta.dir, "../../src/main.ts")];
const configWith = (env: Record<string, string> = {}) => readConfig({ flags: {}, env, isTerminal: false });
const never = new AbortController().signal;

const collect = (files: SiteFiles) => Array.fromAsync(files);

test("a process of its own makes the same files of the manual, for the same configuration", async () => {
  const config = configWith({ BASE_URL: "https://adopt.example.org" });
  const files = await collect(manualFromProcess(config, { signal: never, program: PROGRAM }));
  expect(files).toEqual(await collect(renderManual(config, () => programDocuments(config))));
  expect(new Map(files).get("api/store.html")).toContain("https://adopt.example.org/v1/pets");
});

test("a reader that is slower than the process gets the same files", async () => {
  const config = configWith();
  const files: (readonly [string, string])[] = [];
  for await (const file of manualFromProcess(config, { signal: never, program: PROGRAM })) {
    files.push(file);
    await Bun.sleep(10);
  }
  expect(files).toEqual(await collect(renderManual(config, () => programDocuments(config))));
});

test("a process that fails is an error, however many files it has made", async () => {
  const program = ["/bin/sh", "-c", `echo '["index.html","one"]'; exit 3`];
  const files = manualFromProcess(configWith(), { signal: never, program });
  expect(await outcomeOf(collect(files))).toThrow("exit code 3");
});

test("an abort ends the process", async () => {
  const stopping = new AbortController();
  const program = ["/bin/sh", "-c", `echo '["index.html","one"]'; exec sleep 60`];
  const files = manualFromProcess(configWith(), { signal: stopping.signal, program });
  expect((await files.next()).value).toEqual(["index.html", "one"]);
  stopping.abort();
  expect(await outcomeOf(files.next())).toThrow("making the manual");
});
