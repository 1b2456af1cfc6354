import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./browser.ts";
import { signIn } from "./sign-in.ts";
import { directory, real, run, serve, store } from "./support.ts";

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

real("curl follows the redirects of a site and sees its headers", ["curl"], async () => {
  using place = directory();
  await using server = await serve({ cwd: place.path });
  const root = await write(place.path, {
    "index.html": "home",
    "blog/cats.html": "cats",
    _redirects: "/news/* /blog/:splat 302\n/taken /elsewhere\n",
    _headers: "/blog/*\n  Content-Security-Policy: default-src 'none'\n",
  });
  expect((await publish(place.path, server.url, root)).code).toBe(0);
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
    place.path,
    server.url,
    await write(place.path, { _redirects: "/a /b\n/api/* https://example.org/:splat 200\n" }),
  );
  expect(refused.stderr).toContain("_redirects line 2:");
  expect((await run(["curl", "-s", `${site}/blog/cats`])).stdout).toBe("cats");
});

real("a single-page application opens at a deep link", ["chromium", "playwright-core"], async () => {
  using place = directory();
  await using server = await serve({ cwd: place.path });
  const files = { "index.html": SHELL, "app.js": APP, _redirects: "/* /index.html 200\n" };
  expect((await publish(place.path, server.url, await write(place.path, files))).code).toBe(0);
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(`http://shelter.localhost:${server.port}/adopt/step/2?from=mail`);
  expect(await page.locator("main").innerText()).toBe("at /adopt/step/2");
});

real("each deploy has a preview, which ends with the deploy", ["curl"], async () => {
  using place = directory();
  await using server = await serve({ cwd: place.path });
  const previews: string[] = [];
  for (const text of ["first", "second"]) {
    const deployed = await publish(place.path, server.url, await write(place.path, { "index.html": text }));
    previews.push(/Preview: (\S+)/.exec(deployed.stdout)?.[1] ?? "");
  }
  const [first = "", second = ""] = previews;
  expect((await run(["curl", "-s", first, second])).stdout).toBe("firstsecond");
  expect((await run(["curl", "-sI", first])).stdout.toLowerCase()).toContain("x-robots-tag: noindex\r\n");
  const id = Number(/\/\/(\d+)--/.exec(first)?.[1]);
  const removed = await server.call(`/platform/projects/shelter/deploys/${id}`, { method: "DELETE" });
  expect(removed.status).toBe(204);
  expect((await run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", first])).stdout).toBe("421");
  expect((await run(["curl", "-s", second])).stdout).toBe("second");
});

real("the console leads to the preview of each deploy", ["chromium", "playwright-core"], async () => {
  using place = directory();
  await using server = await serve({ cwd: place.path });
  // Without an icon of its own, the browser asks for one that the site does not have.
  const pageOf = (text: string) => `<link rel="icon" href="data:," /><h1>${text}</h1>`;
  for (const text of ["first", "second"])
    await publish(place.path, server.url, await write(place.path, { "index.html": pageOf(text) }));
  const listed = await server.call("/platform/projects/shelter/deploys");
  const ids = ((await listed.json()) as { id: number }[]).map(({ id }) => id);
  await using browser = await openBrowser();
  const { page, seen } = browser;
  await signIn(page, server.url, server.key);
  await page.goto(`${server.url}/console/projects/shelter`);
  await page.getByRole("link", { name: `Preview of deploy ${ids[1]}` }).click();
  expect(await page.locator("h1").innerText()).toBe("first");
  expect(page.url()).toContain(`--shelter.localhost:${server.port}/`);
  expect(seen.errors).toEqual([]);
});
