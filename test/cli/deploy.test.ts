import { expect, test, describe } from "bun:test";
import { createSecret } from "../../src/access/keys/secret.ts";
import { bundled } from "./program.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/store.ts";

const program = bundled();

const NO_KEY = /no API key/;
const KEY = createSecret((count) => new Uint8Array(count));

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

describe("a server that is not this program's", () => {
  const deployTo = async (response: () => Response) => {
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: response });
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, "site"));
    writeFileSync(join(cwd, "site", "index.html"), "");
    const address = `http://127.0.0.1:${server.port}`;
    const { code, error } = await program(["deploy", "site", "--project", "docs", "--server", address], {
      cwd,
      env: { ADOPTION_STORE_KEY: KEY },
    });
    return { code, error: error.replace(address, "SERVER") };
  };

  const notOurs = (status: number) =>
    `SERVER responded with status ${status}, but not as adoption-store does: check --server, and the proxy in front of it`;

  test.each([
    ["null", 400, notOurs(400)],
    ["<html>", 502, notOurs(502)],
    ['{"code":5,"message":{}}', 400, notOurs(400)],
    ['{"code":"x","message":"\\u001b[2J\\nfalse"}', 400, String.raw`\u001b[2J\u000afalse`],
    ["<html>", 200, "SERVER did not respond with JSON: is it adoption-store? Check --server"],
    ["", 200, "SERVER did not respond with JSON: is it adoption-store? Check --server"],
  ])("that responds %j with %i is named, and moves no cursor", async (body, status, expected) => {
    const { code, error } = await deployTo(() => new Response(body, { status }));
    expect([code, error]).toEqual([1, `adoption-store: ${expected}\n`]);
  });
});

const DEPLOYS = [
  {
    id: 2,
    status: "failed",
    reason: '"../x": leads out of the site',
    active: false,
    files: 0,
    bytes: 0,
    createdAt: "2026-11-20T09:31:00.000Z",
  },
  {
    id: 1,
    status: "succeeded",
    active: true,
    files: 42,
    bytes: 2048,
    createdAt: "2026-11-20T09:30:00.000Z",
    preview: "http://001--docs.sites.example.org/",
  },
];

const list = async (deploys: object[], ...flags: string[]) => {
  const asked: string[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(new URL(request.url).pathname);
      return Response.json(deploys);
    },
  });
  const address = `http://127.0.0.1:${server.port}`;
  const argv = ["deploys", "list", "--project", "docs", "--server", address, ...flags];
  const result = await program(argv, { env: { ADOPTION_STORE_KEY: KEY } });
  return { ...result, asked };
};

test("deploys list prints which deploy is live, where to look at each, and why one failed", async () => {
  const { out, code, asked } = await list(DEPLOYS);
  expect(code).toBe(0);
  expect(asked).toEqual(["/platform/projects/docs/deploys"]);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => line.split(/\s{2,}/));
  expect(lines.map(([id, status, files]) => [id, status, files])).toEqual([
    ["ID", "STATUS", "FILES"],
    ["2", "failed", "0"],
    ["1", "live", "42"],
  ]);
  expect(lines.map((cells) => cells.at(-1))).toEqual([
    "PREVIEW OR REASON",
    '"../x": leads out of the site',
    "http://001--docs.sites.example.org/",
  ]);
});

test("deploys list prints JSON, and the next command for a project without a deploy", async () => {
  expect(JSON.parse((await list(DEPLOYS, "--json")).out)).toEqual(DEPLOYS);
  expect((await list([])).out).toContain("adoption-store deploy DIRECTORY --project docs");
});
