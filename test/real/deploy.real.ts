import { expect } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, directory, expectRefusal, launch, real, serve, store } from "./support.ts";

const test = real();

const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 20);

/** Writes a site whose files all say the same version. */
const writeSite = (root: string, version: string, files: number): string => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "index.html"), version);
  for (let at = 0; at < files; at++) writeFileSync(join(root, `${at}.txt`), `${version} ${at}`);
  return root;
};

const deploy = (server: Server, cwd: string, site: string, ...more: string[]) =>
  store(["deploy", site, "--project", "docs", "--create", "--server", server.url, ...more], { cwd });

/** A page of the project's site. */
const page = (server: Server, path = "/") =>
  fetch(`${server.url}${path}`, { headers: { host: `docs.localhost:${server.port}` } });

test("a directory is deployed by one command, and its address printed", async () => {
  const server = await serve();
  const site = writeSite(join(server.cwd, "site"), "one", 3);
  const { code, stdout, stderr } = await deploy(server, server.cwd, site);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    new RegExp(
      `^Deploy \\d+: 4 files, \\d+ bytes, in [\\d.]+ s\nhttp://docs\\.localhost:${server.port}/\nPreview: http://\\d{3}--docs\\.localhost:${server.port}/\n$`,
    ),
  );
  expect(await (await page(server)).text()).toBe("one");
  expect(await (await page(server, "/2.txt")).text()).toBe("one 2");
});

test("the reason why a directory cannot be deployed is one line", async () => {
  const place = directory();
  const server = await serve({ cwd: place });
  const site = writeSite(join(place, "site"), "one", 0);
  expectRefusal(await deploy(server, place, "nowhere"), 2, /"nowhere" is not a directory/);
  const other = ["deploy", site, "--project", "none", "--server", server.url];
  expectRefusal(
    await store(other, { cwd: place }),
    2,
    /there is no project "none": check the slug, or create it with --create/,
  );
  const wrongKey = { cwd: place, env: { ADOPTION_STORE_KEY: "aas_wrong" } };
  expectRefusal(
    await store(["deploy", site, "--project", "docs", "--server", server.url], wrongKey),
    1,
    /API key/,
  );
  const away = ["deploy", site, "--project", "docs", "--server", "http://127.0.0.1:9"];
  expectRefusal(await store(away, { cwd: place }), 1, /no response from http:\/\/127\.0\.0\.1:9 .*serve/);
  expect((await store([...other, "--create"], { cwd: place })).code).toBe(0);
});

/** Deploys one version after the other until the server is killed. @returns the last that was acknowledged */
const deployUntilKilled = async (
  cwd: string,
  first: number,
): Promise<{ acknowledged: number; tried: number }> => {
  await using process = launch({ cwd });
  let tried = first;
  let acknowledged = 0;
  const server = await process.listening();
  if (!server) return { acknowledged, tried };
  const timer = setTimeout(process.kill, 300 + Math.random() * 2700);
  try {
    for (; !process.isKilled(); tried++) {
      const site = writeSite(join(cwd, "site"), `v${tried}`, 200);
      const { code } = await deploy(server, cwd, site);
      if (code !== 0) break;
      acknowledged = tried;
    }
    return { acknowledged, tried };
  } finally {
    clearTimeout(timer);
  }
};

test(`killed ${ROUNDS} times while sites are deployed, it serves the last one that was acknowledged, or the one after, whole`, async () => {
  const place = directory();
  let last = 0;
  let next = 1;
  for (let round = 0; round < ROUNDS; round++) {
    const { acknowledged, tried } = await deployUntilKilled(place, next);
    last = Math.max(last, acknowledged);
    next = tried + 1;
    await using server = await serve({ cwd: place });
    const version = await (await page(server)).text();
    // Before the first deploy there is no site.
    if (last === 0 && !version.startsWith("v")) continue;
    const number = Number(version.slice(1));
    expect(number).toBeGreaterThanOrEqual(last);
    expect(number).toBeLessThan(next);
    last = number;
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => (await page(server, `/${index}.txt`)).text()),
    );
    expect(answers).toEqual(answers.map((_, index) => `${version} ${index}`));
  }
  expect(last).toBeGreaterThan(0);
  const server = await serve({ cwd: place });
  await Bun.sleep(1000);
  expect(await server.stop()).toBe(0);
  const data = join(place, "data");
  expect(readdirSync(data)).not.toContain("uploads");
  expect(readdirSync(join(data, "blobs", "tmp"))).toEqual([]);
  console.log(`    ${last} versions`);
}, 600_000);

const MANY = 10_000;

test("a deploy of 10,000 files is served whole", async () => {
  const server = await serve();
  const site = writeSite(join(server.cwd, "site"), "x".repeat(5000), MANY - 1);
  const { stdout, code } = await deploy(server, server.cwd, site, "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ files: MANY, status: "succeeded", active: true });
  for (const at of [0, 4999, MANY - 2])
    expect(await (await page(server, `/${at}.txt`)).text()).toEndWith(`x ${at}`);
}, 300_000);
