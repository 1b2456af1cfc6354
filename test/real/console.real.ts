import { expect } from "bun:test";
import { tarGzOf } from "../platform/deploys/archives.ts";
import { zone, zonesWith } from "./site.ts";
import { surroundings } from "./authorities.ts";
import { openConsole, publishDocs } from "./console.ts";
import { NEEDED as NAME_SERVERS, nameServers } from "./dns-servers.ts";
import { signIn, signedOut } from "./sign-in.ts";
import { openBrowser, directory, real, run, serve, type Server, until } from "./support.ts";

const NEEDED = ["chromium", "playwright-core"];

const test = real(...NEEDED);
const withPebble = real(...NEEDED, ...NAME_SERVERS, "pebble", "curl");

const animals = (server: Server): Promise<unknown[]> => server.read("/v1/pets");

const ROLL_BACK = "/platform/projects/docs/deploys/1/activate";

/** Tries the attacks of a page on a user's session, and reports when it is done. */
const HOSTILE = (console: string) => `<!doctype html><title>hostile</title>
<iframe id="framed" src="${console}/console/keys"></iframe>
<form id="form" action="${console}/console/api/v1/pets" method="post" enctype="text/plain" target="frame">
  <input name='{"name":"by form","categoryId":1,"x":"' value='"}'></form>
<iframe name="frame"></iframe>
<script type="module">
  const body = JSON.stringify({ name: "by fetch", categoryId: 1 });
  const urls = ["/console/api/v1/pets", "/v1/pets", "/console/api/platform/keys/1"];
  const tries = urls.flatMap((path) => [
    fetch("${console}" + path, { method: "POST", body, credentials: "include", mode: "no-cors" }),
    fetch("${console}" + path, { method: "POST", body, credentials: "include", headers: { "content-type": "application/json" } }),
    fetch("${console}" + path, { method: "DELETE", credentials: "include", headers: { "x-csrf-token": "x" } }),
    fetch("${console}" + path, { credentials: "include" }).then((answer) => answer.text()).then(() => { document.body.dataset.read = path; }),
  ]);
  // Needs no body, so that a browser sends no preflight request.
  tries.push(fetch("${console}/console/api${ROLL_BACK}", { method: "POST", credentials: "include", mode: "no-cors" }));
  tries.push(fetch("${console}/console/session", { credentials: "include" }).then(() => { document.body.dataset.read = "session"; }));
  tries.push(fetch("${console}/console/session", { method: "DELETE", credentials: "include", mode: "no-cors" }));
  document.getElementById("form").submit();
  await Promise.allSettled(tries);
  await new Promise((done) => setTimeout(done, 500));
  document.title = "tried";
</script>`;

/** Serves the hostile page at another port, and so at another origin. */
const hostileSite = (console: string) => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(HOSTILE(console), { headers: { "content-type": "text/html" } }),
  });
  return { port: server.port ?? 0, [Symbol.asyncDispose]: () => server.stop(true) };
};

test("a page of another site, or of a neighbouring host, can do nothing with a session", async () => {
  const server = await serve({ env: { API_HOSTS: "adopt.example.test" } });
  const base = `http://adopt.example.test:${server.port}`;
  const active = async () => {
    const project = await server.read("/platform/projects/docs");
    return (project as { activeDeploy?: number }).activeDeploy;
  };
  await publishDocs(server);
  const deployed = await server.call("/platform/projects/docs/deploys", {
    method: "POST",
    headers: { "content-type": "application/gzip" },
    body: await new Bun.Archive({ "index.html": "x" }, { compress: "gzip" }).bytes(),
  });
  expect([deployed.status, await deployed.json()]).toEqual([201, expect.objectContaining({ id: 2 })]);
  await using hostile = hostileSite(base);
  const browser = await openBrowser(undefined, {
    flags: ["--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
  const { page } = browser;
  await signIn(page, base, server.key);
  // The second is of the same site to browsers: it gets the cookie in spite of SameSite.
  for (const host of ["hostile.test", "hostile.example.test"]) {
    await page.goto(`http://${host}:${hostile.port}/`);
    await page.waitForFunction("document.title === 'tried'");
    expect(await page.evaluate("document.body.dataset.read ?? ''")).toBe("");
    expect(await animals(server)).toEqual([]);
    expect(await server.read("/platform/keys/1")).not.toHaveProperty("revokedAt");
    expect(await active()).toBe(2);
  }
  await page.goto(`${base}/console`);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
});

test("the last key that can manage keys is revoked only after a separate confirmation", async () => {
  const server = await serve();
  const { page } = await openConsole(server);
  await page.goto(`${server.url}/console/keys/1/revoke`);
  const revoke = page.getByRole("button", { name: "Revoke", exact: true });
  await revoke.click();
  const force = page.getByLabel("Revoke it anyway");
  await force.waitFor();
  await page.locator("footer button[aria-disabled=true]").waitFor();
  expect(await server.read("/platform/keys/1")).not.toHaveProperty("revokedAt");
  await force.check();
  await revoke.click();
  await signedOut(page);
  expect((await server.call("/v1/pets")).status).toBe(401);
});

const IMAGE = `<img src=x onerror=window.hacked=1>`;
const SCRIPT = `${IMAGE}<script>window.hacked=1</script>`;

test("the console shows input of others as text", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: SCRIPT });
  await server.send("/v1/pets", { name: SCRIPT, categoryId: 1, status: "available" });
  const adopter = { name: SCRIPT, email: `${IMAGE.replaceAll(" ", "/")}@example.org` };
  await server.send("/v1/store/orders", { petId: 1, adopter, note: SCRIPT });
  await server.send("/platform/projects", { slug: "a", name: SCRIPT, plan: "pro" });
  await server.send("/platform/keys", { name: SCRIPT, scopes: ["pets:read"] });
  const { page, seen } = await openConsole(server);
  for (const path of [
    "/animals",
    "/animals/1/change",
    "/animals/1/delete",
    "/animals/1/adopt",
    "/categories",
    "/categories/1/rename",
    "/categories/1/delete",
    "/adoptions",
    "/adoptions/1/cancel",
    "/projects",
    "/projects/a",
    "/projects/a/settings",
    "/projects/a/domains",
    "/keys",
  ]) {
    await page.goto(`${server.url}/console${path}`);
    await page.getByRole("heading", { name: /./ }).first().waitFor();
    await page.waitForTimeout(500);
    expect(await page.evaluate("window.hacked ?? 0")).toBe(0);
  }
  await page.goto(`${server.url}/console/animals`);
  const cell = (column: string) => page.locator(`td[data-column=${column}]`).getByText(SCRIPT).first();
  await cell("Name").waitFor();
  await cell("Category").waitFor();
  await page.goto(`${server.url}/console/adoptions`);
  for (const column of ["Animal", "Adopter", "Note"]) await cell(column).waitFor();
  await page.goto(`${server.url}/console/projects/a`);
  const buffer = Buffer.from(tarGzOf([{ name: `../${IMAGE}`, content: "" }]));
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "site.tar.gz", mimeType: "application/gzip", buffer });
  await page.getByText(IMAGE).waitFor();
  expect(await page.evaluate("window.hacked ?? 0")).toBe(0);
  // The archive was refused, and browsers say so, sooner or later.
  expect(seen.errors.filter((error) => !error.includes("status of 400"))).toEqual([]);
});

test("a change that could not be sent is not sent later, after its dialog is closed", async () => {
  const server = await serve();
  const { page } = await openConsole(server, "/animals/new");
  await page.getByLabel("Name", { exact: true }).fill("Bella");
  await page.locator("dialog").getByRole("combobox", { name: "Category" }).fill("3");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("The server did not respond").first().waitFor();
  await page.locator("dialog").getByText("Cancel").click();
  await page.context().setOffline(false);
  await page.waitForTimeout(1000);
  expect(await animals(server)).toEqual([]);
});

test("signing out ends the session that the browser has, whichever page began it", async () => {
  const server = await serve();
  const { page } = await openConsole(server);
  const other = await page.context().newPage();
  await other.goto(`${server.url}/console`);
  await other.getByRole("button", { name: "Sign out" }).click();
  await signedOut(other);
  await signIn(other, server.url, server.key);
  await page.getByRole("button", { name: "Sign out" }).click();
  await signedOut(page);
  for (const each of [page, other]) {
    await each.reload();
    await signedOut(each);
  }
});

const SITE = tarGzOf([{ name: "index.html", content: "<h1>Shelter</h1>" }]);
const DOCS = "docs.shelter.test";
const WWW = "www.shelter.test";

withPebble(
  "a volunteer goes from signing in to a live domain, its redirect and its removal, and adds an animal",
  async () => {
    const place = directory();
    const { servers, authority, env, httpsPort } = await surroundings(place);
    const server = await serve({ cwd: place, env });
    const { page, seen } = await openBrowser();
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const dialog = (name: string) => page.locator("dialog").getByRole("button", { name, exact: true });
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const status = (text: string | RegExp) => page.getByRole("status").getByText(text).first();
    const trust = ["--silent", "--show-error", "--cacert", authority.rootFile];
    const ask = (hostname: string, ...more: string[]) => {
      const host = `${hostname}:${httpsPort}`;
      return run(["curl", ...trust, "--resolve", `${host}:127.0.0.1`, ...more, `https://${host}/`]);
    };

    await signIn(page, server.url, server.key, "/projects");
    await link("Create project").click();
    await field("Name").fill("Shelter");
    await dialog("Create project").click();
    await page.getByRole("heading", { name: "Shelter" }).waitFor();
    await status(/“Shelter” created/).waitFor();

    await page.locator("main").getByRole("link", { name: "Domains", exact: true }).click();
    await page.getByText(/Pro/).first().waitFor();
    await page.goto(`${server.url}/console/projects/shelter/settings`);
    await field("Plan").selectOption("pro");
    await button("Save").click();
    await status("Settings saved").waitFor();

    await link("Deploys").click();
    const archive = { name: "site.tar.gz", mimeType: "application/gzip", buffer: Buffer.from(SITE) };
    await page.locator("input[type=file]").setInputFiles(archive);
    await status(/Deployed to shelter: 1 file/).waitFor();
    const { id } = (await server.read<{ id: number }[]>("/platform/projects/shelter/deploys"))[0]!;
    await page.goto(`${server.url}/console/projects/shelter/deploys/${id}/activate`);
    await page.getByText(`Deploy ${id} is already live`).waitFor();
    expect(await page.evaluate("document.querySelector('dialog footer button').ariaDisabled")).toBe("true");
    await page.locator("dialog").getByText("Cancel").click();

    const { target } = await server.read<{ target: string }>("/platform/projects/shelter");
    const shelter = (...lines: string[]) => ({ ...zonesWith(target), ...zone("shelter.test", ...lines) });
    const www = `${WWW} 1 CNAME ${target}`;
    const names = await nameServers(shelter(`${DOCS} 1 A 192.0.2.1`, www), servers);

    await page.locator("main").getByRole("link", { name: "Domains", exact: true }).click();
    await link("Add domain").click();
    await field("Domain or subdomain").fill(DOCS);
    await dialog("Add domain").click();
    await page.getByText(target).first().waitFor();
    await button("Verify").click();
    await page.getByRole("heading", { name: `An A record of ${DOCS} is in the way` }).waitFor();

    names.change(shelter(`${DOCS} 1 CNAME ${target}`, www));
    await until(
      "the domain is verified",
      async () => {
        if ((await button("Verify").count()) === 0) return true;
        await button("Verify").click();
        // The resolver forgets the old record, and so many looks a minute are answered.
        await page.waitForTimeout(7000);
        return false;
      },
      60_000,
    );
    // By itself from here on.
    await page.getByText("Active", { exact: true }).first().waitFor({ timeout: 60_000 });
    expect((await ask(DOCS)).stdout).toBe("<h1>Shelter</h1>");

    await link("Back to domains").click();
    await link("Add domain").click();
    await field("Domain or subdomain").fill(WWW);
    await dialog("Add domain").click();
    await button("Verify").click();
    await page.getByText("Active", { exact: true }).first().waitFor({ timeout: 60_000 });
    await button(`Menu for ${WWW}`).click();
    await button("Make primary").click();
    await status(/primary/i).waitFor();

    await link("Back to domains").click();
    await link(DOCS).click();
    await button(`Menu for ${DOCS}`).click();
    await button(`Redirect to ${WWW}`).click();
    await status(/now redirects/).waitFor();
    const answer = ["--write-out", "%{response_code} %{redirect_url}", "--output", "/dev/null"];
    await until("it redirects", async () =>
      (await ask(DOCS, ...answer)).stdout.startsWith(`301 https://${WWW}`),
    );

    await button(`Menu for ${DOCS}`).click();
    await link("Remove").click();
    await page.getByText(/stops being served immediately/).waitFor();
    await page.reload();
    await page.getByText(/stops being served immediately/).waitFor();
    await dialog("Remove").click();
    await link(WWW).waitFor();
    await status(/docs\.shelter\.test removed/).waitFor();
    expect((await ask(DOCS)).code).not.toBe(0);
    expect((await ask(WWW)).stdout).toBe("<h1>Shelter</h1>");

    await link("Animals").click();
    await link("Add animal").click();
    await field("Name").fill("Bella");
    await page.locator("dialog").getByRole("combobox", { name: "Category" }).fill("3");
    await dialog("Add").click();
    await status("“Bella” added (no. 1)").waitFor();
    expect(await animals(server)).toEqual([{ id: 1, name: "Bella", categoryId: 3, status: "available" }]);
    await link("Edit Bella").click();
    await field("Status").selectOption("sold");
    await dialog("Save").click();
    await status("“Bella” is now adopted").waitFor();
    expect(await animals(server)).toEqual([{ id: 1, name: "Bella", categoryId: 3, status: "sold" }]);

    const own = seen.requests.filter((url) => url.startsWith(`${server.url}/`));
    expect(seen.requests.filter((url) => !own.includes(url) && !url.startsWith("data:"))).toEqual([]);
    expect(seen.errors).toEqual([]);
  },
);
