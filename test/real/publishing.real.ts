import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openConsole } from "./console.ts";
import { openBrowser, directory, real, run, serve, store } from "./support.ts";

const withCurl = real("curl");
const inBrowser = real("chromium", "playwright-core");

const SHELL = `<!doctype html>
<title>Shelter</title>
<main></main>
<script src="/app.js"></script>
`;
const APP = `document.querySelector("main").textContent = "at " + location.pathname;\n`;

const write = async (place: string, files: Record<string, string>): Promise<string> => {
  const root = join(place, "site");
  mkdirSync(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) await Bun.write(join(root, name), content);
  return root;
};

const publish = async (cwd: string, url: string, root: string) =>
  store(["deploy", root, "--project", "shelter", "--create", "--server", url], { cwd });

withCurl("curl follows the redirects of a site and sees its headers", async () => {
  const place = directory();
  const server = await serve({ cwd: place });
  const root = await write(place, {
    "index.html": "home",
    "blog/cats.html": "cats",
    _redirects: "/news/* /blog/:splat 302\n/taken /elsewhere\n",
    _headers: "/blog/*\n  Content-Security-Policy: default-src 'none'\n",
  });
  expect((await publish(place, server.url, root)).code).toBe(0);
  const site = `http://shelter.localhost:${server.port}`;
  const followed = await run([
    "curl",
    "-sL",
    "-w",
    "%{url_effective} %{num_redirects}",
    `${site}/news/cats?a=b`,
  ]);
  expect(followed.stdout).toBe(`cats${site}/blog/cats?a=b 1`);
  const head = await run(["curl", "-sI", `${site}/blog/cats`]);
  expect(head.stdout.toLowerCase()).toContain("content-security-policy: default-src 'none'\r\n");
  const refused = await publish(
    place,
    server.url,
    await write(place, { _redirects: "/a /b\n/api/* https://example.org/:splat 200\n" }),
  );
  expect(refused.stderr).toContain("_redirects line 2:");
  expect((await run(["curl", "-s", `${site}/blog/cats`])).stdout).toBe("cats");
});

inBrowser("a single-page application opens at a deep link", async () => {
  const server = await serve();
  const files = { "index.html": SHELL, "app.js": APP, _redirects: "/* /index.html 200\n" };
  expect((await publish(server.cwd, server.url, await write(server.cwd, files))).code).toBe(0);
  const { page } = await openBrowser();
  await page.goto(`http://shelter.localhost:${server.port}/adopt/step/2?from=mail`);
  expect(await page.locator("main").innerText()).toBe("at /adopt/step/2");
});

inBrowser("the console leads to the preview of each deploy", async () => {
  const server = await serve();
  // Without this icon, the browser requests one that the site does not have.
  const pageOf = (text: string) => `<link rel="icon" href="data:," /><h1>${text}</h1>`;
  for (const text of ["first", "second"])
    await publish(server.cwd, server.url, await write(server.cwd, { "index.html": pageOf(text) }));
  const listed = await server.call("/platform/projects/shelter/deploys");
  const ids = ((await listed.json()) as { id: number }[]).map(({ id }) => id);
  const { page, seen } = await openConsole(server);
  await page.goto(`${server.url}/console/projects/shelter`);
  await page.getByRole("link", { name: `Preview of deploy ${ids[1]}` }).click();
  expect(await page.locator("h1").innerText()).toBe("first");
  expect(page.url()).toContain(`--shelter.localhost:${server.port}/`);
  expect(seen.errors).toEqual([]);
});
