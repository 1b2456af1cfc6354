import { expect, test } from "bun:test";
import { manualFromProcess } from "../../src/app/manual-process.ts";
import { renderManual } from "../../src/app/manual.ts";
import { programDocuments } from "../../src/app/openapi.ts";
import { readConfig } from "../../src/config/config.ts";
import type { SiteFiles } from "../../src/deploys/own-site.ts";
import { outcomeOf } from "../support/outcome.ts";
import { bundledProgram } from "../support/program.ts";
import { openOnce } from "../support/store.ts";

const configWith = (env: Record<string, string> = {}) => readConfig({ flags: {}, env, isTerminal: false });
const CONFIG = configWith({ BASE_URL: "https://adopt.example.org" });
const never = new AbortController().signal;

const collect = (files: SiteFiles) => Array.fromAsync(files);

/** As this process makes them. */
const manual = openOnce(() => collect(renderManual(CONFIG, () => programDocuments(CONFIG))));
const fromProcess = async () => manualFromProcess(CONFIG, { signal: never, program: await bundledProgram() });

test("a process of its own makes the same files of the manual, for the same configuration", async () => {
  const files = await collect(await fromProcess());
  expect(files).toEqual(manual());
  expect(new Map(files).get("api/store.html")).toContain("https://adopt.example.org/v1/pets");
});

test("a reader that is slower than the process gets the same files", async () => {
  const files: (readonly [string, string])[] = [];
  for await (const file of await fromProcess()) {
    files.push(file);
    await Bun.sleep(10);
  }
  expect(files).toEqual(manual());
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
