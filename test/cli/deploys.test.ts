import { expect, test } from "bun:test";
import { mint } from "../../src/access/keys/secret.ts";
import { bundled } from "./program.ts";

const program = bundled();
const KEY = mint((count) => new Uint8Array(count));

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

test("deploys list prints JSON, and says what to do for a project without a deploy", async () => {
  expect(JSON.parse((await list(DEPLOYS, "--json")).out)).toEqual(DEPLOYS);
  expect((await list([])).out).toContain("adoption-store deploy DIRECTORY --project docs");
});
