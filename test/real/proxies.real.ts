import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestCa } from "../support/certificates.ts";
import { freePort } from "./authorities.ts";
import { readRefusedHosts } from "../../src/edge/refused-hosts.ts";
import { signIn, signedOut } from "./sign-in.ts";
import { openBrowser, type Server, atEnd, directory, real, run, serve, until } from "./support.ts";

const HOST = "adopt.example.org";

interface Proxy {
  program: string;
  /** Writes its configuration, with nothing in it but addresses and a certificate. @returns the command that runs it */
  configure(place: string, port: number, upstream: number): string[];
  /** Whether it passes the Host of the browser on. */
  passesHost: boolean;
}

/** The configuration of Debian's package, in a separate directory and in the foreground. */
const nginx: Proxy = {
  program: "nginx",
  passesHost: false,
  configure(place, port, upstream) {
    const path = (name: string) => join(place, name);
    writeFileSync(
      path("nginx.conf"),
      `user root; daemon off; pid ${path("pid")}; error_log ${path("error.log")};
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${path(name)};`).join(" ")}
  server {
    listen 127.0.0.1:${port} ssl;
    server_name ${HOST};
    ssl_certificate ${path("cert")};
    ssl_certificate_key ${path("key")};
    location / { proxy_pass http://127.0.0.1:${upstream}; }
  }
}
`,
    );
    return ["nginx", "-c", path("nginx.conf"), "-p", place, "-e", path("error.log")];
  },
};

const caddy: Proxy = {
  program: "caddy",
  passesHost: true,
  configure(place, port, upstream) {
    const file = join(place, "Caddyfile");
    writeFileSync(
      file,
      `{
  admin off
  auto_https disable_redirects
  storage file_system ${place}
}
https://${HOST}:${port} {
  bind 127.0.0.1
  tls ${join(place, "cert")} ${join(place, "key")}
  reverse_proxy 127.0.0.1:${upstream}
}
`,
    );
    return ["caddy", "run", "--adapter", "caddyfile", "--config", file];
  },
};

/** A server with default settings behind a proxy. @param hasBaseUrl it knows its public address */
const openBehind = async (proxy: Proxy, { hasBaseUrl }: { hasBaseUrl: boolean }) => {
  const place = directory();
  const { root, issue } = await createTestCa();
  for (const [name, text] of Object.entries({ root, ...(await issue([HOST])) }))
    writeFileSync(join(place, name), text, { mode: 0o644 });
  const port = freePort();
  const base = `https://${HOST}:${port}`;
  const flags = hasBaseUrl ? ["--base-url", base] : [];
  const server = await serve({ cwd: place, flags });
  const child = Bun.spawn(proxy.configure(place, port, server.port), {
    env: { PATH: process.env["PATH"] ?? "", HOME: place },
    stdout: "ignore",
    stderr: Bun.file(join(place, "proxy.log")),
  });
  atEnd(async () => {
    child.kill();
    await child.exited;
  });
  const trust = ["--cacert", join(place, "root"), "--resolve", `${HOST}:${port}:127.0.0.1`];
  /** Calls curl through the proxy. @returns the body, and the status on a separate line */
  const curl = async (path: string, ...options: string[]) => {
    const write = ["--silent", "--max-time", "20", "--write-out", "\n%{http_code}"];
    const { stdout } = await run(["curl", ...write, ...trust, ...options, base + path]);
    return stdout;
  };
  await until("the proxy serves", async () => /\n[1-4]\d\d$/.test(await curl("/livez")), 15_000);
  return { place, server, base, trust, curl };
};

type Behind = Awaited<ReturnType<typeof openBehind>>;

const authorized = ({ key }: Pick<Server, "key">) => ["--header", `Authorization: Bearer ${key}`];
const JSON_BODY = ["--header", "Content-Type: application/json", "--data"];

/** A client of the API adds an animal, and another sees it in its event stream immediately. */
const checkEvents = async ({ server, base, trust, curl }: Behind) => {
  const stream = Bun.spawn(
    ["curl", "--silent", "--no-buffer", ...trust, ...authorized(server), `${base}/v1/pets/events`],
    { stdout: "pipe", stderr: "ignore" },
  );
  let events = "";
  const reading = (async () => {
    for await (const text of stream.stdout.pipeThrough(new TextDecoderStream())) events += text;
  })();
  try {
    await until("the stream is open", () => events !== "", 10_000);
    const body = JSON.stringify({ name: "Bella", categoryId: 1 });
    expect(await curl("/v1/pets", ...authorized(server), ...JSON_BODY, body)).toEndWith("\n201");
    await until("the event arrives", () => events.includes("Bella"), 10_000);
  } finally {
    stream.kill();
    await reading;
  }
};

/** An archive of half a megabyte becomes a site. By default nginx refuses more than 1 MB. */
const checkUpload = async ({ place, server, curl }: Behind) => {
  const site = join(place, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.html"), "home");
  writeFileSync(join(site, "noise"), crypto.getRandomValues(new Uint8Array(60_000)));
  for (let part = 0; part < 8; part++)
    writeFileSync(join(site, `noise-${part}`), crypto.getRandomValues(new Uint8Array(60_000)));
  const archive = join(place, "site.tar.gz");
  expect((await run(["tar", "-czf", archive, "-C", site, "."])).code).toBe(0);
  const project = JSON.stringify({ slug: "shelter", name: "Shelter" });
  expect(await curl("/platform/projects", ...authorized(server), ...JSON_BODY, project)).toEndWith("\n201");
  const upload = ["--header", "Content-Type: application/gzip", "--data-binary", `@${archive}`];
  expect(await curl("/platform/projects/shelter/deploys", ...authorized(server), ...upload)).toEndWith(
    "\n201",
  );
};

const openChromium = (base: string) =>
  openBrowser(undefined, {
    flags: [
      `--host-resolver-rules=MAP ${new URL(base).host} 127.0.0.1:${new URL(base).port}`,
      "--ignore-certificate-errors",
    ],
  });

for (const proxy of [nginx, caddy]) {
  const test = real(proxy.program, "curl", "tar", "playwright-core", "/usr/bin/chromium");

  test(`behind ${proxy.program} with its default configuration, BASE_URL alone makes everything work`, async () => {
    const behind = await openBehind(proxy, { hasBaseUrl: true });
    const { server, base, curl } = behind;
    expect(await curl("/v1/pets", ...authorized(server))).toBe("[]\n200");
    expect(await curl("/v1/pets")).toEndWith("\n401");
    await checkEvents(behind);
    await checkUpload(behind);
    const browser = await openChromium(base);
    await signIn(browser.page, base, server.key, "/categories/new");
    await browser.page.getByLabel("Name").fill("Dogs");
    await browser.page.getByRole("button", { name: "Add", exact: true }).click();
    await until("the category is stored", async () =>
      (await (await server.call("/v1/categories")).text()).includes("Dogs"),
    );
    await browser.page.goto(`${base}/console`);
    // A list that is still being read would be refused behind the end of the session.
    await browser.page.locator("tbody tr").first().waitFor();
    await browser.page.getByRole("button", { name: "Sign out" }).click();
    await signedOut(browser.page);
    expect(browser.seen.errors).toEqual([]);
  });

  test(`behind ${proxy.program} with its default configuration, a browser shows the missing setting`, async () => {
    const behind = await openBehind(proxy, { hasBaseUrl: false });
    const { server, base, curl, place } = behind;
    if (!proxy.passesHost) {
      // It sends the address of the server as the Host, and that is served.
      expect(await curl("/v1/pets", ...authorized(server))).toBe("[]\n200");
      return;
    }
    expect(await curl("/v1/pets", ...authorized(server))).toMatch(/"misdirected".*BASE_URL.*\n421$/);
    const browser = await openChromium(base);
    await browser.page.goto(`${base}/console`);
    expect(await browser.page.locator("h1").innerText()).toBe(`This server does not serve ${HOST}`);
    expect(await browser.page.locator("main").innerText()).toContain(`BASE_URL=${base}`);
    const dataDir = join(place, "data");
    const isSaved = () => readRefusedHosts(dataDir).some(({ host }) => host === HOST);
    await until("the host is saved", isSaved, 15_000);
    expect(server.stdout()).toMatch(new RegExp(`"host":"${HOST}".*API_HOSTS`));
  });
}
