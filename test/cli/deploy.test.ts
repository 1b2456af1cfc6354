import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/store.ts";
import { bundled } from "./program.ts";

const program = bundled();

const NO_KEY = /no API key/;

/** Deploys a directory with these files, without a server or a key. */
const deploy = async (...paths: string[]) => {
  const cwd = temporaryDirectory();
  for (const path of paths) {
    mkdirSync(join(cwd, "site", path, ".."), { recursive: true });
    writeFileSync(join(cwd, "site", path), "");
  }
  return program(["deploy", "site", "--project", "docs"], { cwd });
};

test("a directory that the server would refuse is refused before a request is sent", async () => {
  const { code, error } = await deploy("public/index.html", "package.json");
  expect(error).toBe(
    "adoption-store: No index.html at the top level; found public/index.html. Deploy the directory that holds the start page.\n",
  );
  expect(code).toBe(2);
  const challenge = await deploy("index.html", ".well-known/acme-challenge/left");
  expect(challenge.error).toContain('".well-known/acme-challenge/left": lies in');
});

test("a directory with a start page, or with only a directory that has one, is sent to the server", async () => {
  expect((await deploy("index.html")).error).toMatch(NO_KEY);
  expect((await deploy("public/index.html", "public/a.html")).error).toMatch(NO_KEY);
});

test("a --key-file without a key is named before a request is sent", async () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, "site"));
  writeFileSync(join(cwd, "site", "index.html"), "");
  writeFileSync(join(cwd, "animals.csv"), "name,category\nBella,1\n");
  const { code, error } = await program(
    ["deploy", "site", "--project", "docs", "--key-file", "animals.csv", "--server", "http://127.0.0.1:9"],
    { cwd },
  );
  expect([code, error]).toEqual([
    1,
    "adoption-store: animals.csv does not contain an API key: name another file with --key-file\n",
  ]);
});
