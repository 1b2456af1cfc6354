import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { tarGzOf } from "../deploys/archives.ts";
import { ISSUER, zonesOf } from "../domains/cases.ts";
import { certificateAuthority } from "../support/certificates.ts";
import { freeServers, NEEDED, namesOf, nameServers } from "./dns-servers.ts";
import { directory, real, run, serve, type Server, store, until } from "./support.ts";

const NAME = "right.example.test";
/** From `add` to the first answer over HTTPS. */
const MOST_MS = 10_000;

const freePort = (): number => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
};

const json = { "content-type": "application/json" };

const send = async (server: Server, path: string, body?: unknown): Promise<Record<string, string>> => {
  const answer = await server.call(path, {
    method: "POST",
    ...(body !== undefined && { headers: json, body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
};

const domains = "/platform/projects/site/domains";

const attach = async (server: Server) => {
  await send(server, domains, { hostname: NAME });
  await send(server, `${domains}/${NAME}/verify`);
};

/** Let's Encrypt's test authority: it rejects good nonces, and asks the name servers that it is given. */
const pebble = async (
  place: string,
  { httpPort, tlsPort, dns }: Where,
  env: Record<string, string>,
): Promise<Authority> => {
  const own = await certificateAuthority();
  const { key, cert } = await own.issue(["localhost"]);
  const [port, management] = [freePort(), freePort()];
  const file = (name: string, text: string) => {
    writeFileSync(join(place, name), text);
    return join(place, name);
  };
  const config = file(
    "pebble.json",
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: file("pebble.crt", cert),
        privateKey: file("pebble.key", key),
        httpPort,
        tlsPort,
      },
    }),
  );
  const child = Bun.spawn(
    ["setpriv", "--pdeathsig", "TERM", "pebble", "-config", config, "-dnsserver", dns],
    {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdin: "ignore",
      stdout: Bun.file(join(place, "pebble.log")),
      stderr: Bun.file(join(place, "pebble.err")),
    },
  );
  const caFile = file("pebble-ca.crt", own.root);
  const ask = (at: number, path: string) =>
    fetch(`https://localhost:${at}${path}`, { tls: { ca: own.root } });
  await until(
    "pebble answers",
    () =>
      ask(port, "/dir").then(
        ({ ok }) => ok,
        () => false,
      ),
    10_000,
  );
  const root = await (await ask(management, "/roots/0")).text();
  return {
    directory: `https://localhost:${port}/dir`,
    caFile,
    rootFile: file("root.crt", root),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
};

const site = tarGzOf([{ name: "index.html", content: "<h1>Docs</h1>" }]);

/** Caddy's own authority, which nobody here wrote either: it asks for challenges at port 80. */
const caddy = async (place: string): Promise<Authority> => {
  const port = freePort();
  const file = join(place, "Caddyfile");
  writeFileSync(
    file,
    `{
      admin off
      auto_https disable_redirects
      skip_install_trust
      storage file_system ${place}/caddy
    }
    https://localhost:${port} {
      tls internal
      acme_server
    }`,
  );
  // It asks the system for the addresses of what it validates: in a namespace of its own, whose hosts file has them.
  const hosts = join(place, "hosts");
  writeFileSync(hosts, `127.0.0.1 localhost ${NAME}\n`);
  const start = `mount --bind ${hosts} /etc/hosts && exec caddy run --adapter caddyfile --config ${file}`;
  const child = Bun.spawn(["setpriv", "--pdeathsig", "TERM", "unshare", "--mount", "sh", "-c", start], {
    env: { PATH: process.env["PATH"] ?? "", HOME: place },
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(join(place, "caddy.log")),
  });
  const rootFile = join(place, "caddy/pki/authorities/local/root.crt");
  const directory = `https://localhost:${port}/acme/local/directory`;
  const isUp = () =>
    fetch(directory, { tls: { ca: readFileSync(rootFile, "utf8") } }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("caddy answers", async () => existsSync(rootFile) && (await isUp()), 15_000);
  return {
    directory,
    caFile: rootFile,
    rootFile,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
};

interface Authority extends AsyncDisposable {
  directory: string;
  /** Who vouches for the directory's own server. */
  caFile: string;
  /** What it signs with. */
  rootFile: string;
}

interface Where {
  httpPort: number;
  tlsPort: number;
  dns: string;
}

type Begin = (place: string, where: Where) => Promise<Authority>;

const PEBBLE = { PEBBLE_WFE_NONCEREJECT: "30", PEBBLE_VA_NOSLEEP: "1" };
const usual: Begin = (place, where) => pebble(place, where, PEBBLE);

/** The executable with HTTPS, beside name servers and an authority, and a project whose target leads here. */
const opened = async (
  place: string,
  begin: Begin = usual,
  { httpPort = freePort(), challengePort }: { httpPort?: number; challengePort?: number } = {},
) => {
  const askedPort = challengePort ?? httpPort;
  await using stack = new AsyncDisposableStack();
  const servers = await freeServers();
  const dns = namesOf(servers);
  const httpsPort = freePort();
  const authority = stack.use(
    await begin(place, { httpPort: askedPort, tlsPort: httpsPort, dns: dns.resolver }),
  );
  const env = {
    DNS_RESOLVERS: dns.resolver,
    DNS_PORT: String(servers.authority.port),
    DNS_PRIVATE: "yes",
    CAA_ISSUERS: ISSUER,
    PLATFORM_CNAME_TARGET: "pages.test",
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: String(httpsPort),
    ACME_DIRECTORY: authority.directory,
    ACME_CA_FILE: authority.caFile,
    ACME_AGREE_TOS: "true",
    ACME_HTTP_PORT: String(askedPort),
  };
  const server = stack.use(await serve({ cwd: place, env }));
  const { target = "" } = await send(server, "/platform/projects", {
    slug: "site",
    name: "Site",
    plan: "pro",
  });
  const deployed = await server.call("/platform/projects/site/deploys", {
    method: "POST",
    headers: { "content-type": "application/gzip" },
    body: site,
  });
  expect(deployed.status).toBe(201);
  const zones = zonesOf({ usual: target, forbidden: "forbidden.pages.test", wide: "wide.pages.test" });
  zones["pages.test"] = ["pages.test NS ns.pages.test", "ns.pages.test A 127.0.0.1", `${target} A 127.0.0.1`];
  const zonesAt = join(place, "dns");
  mkdirSync(zonesAt);
  stack.use(await nameServers(zonesAt, zones, servers));
  const curl = (...argv: string[]) =>
    run([
      "curl",
      "--silent",
      "--show-error",
      "--cacert",
      authority.rootFile,
      "--resolve",
      `${NAME}:${httpsPort}:127.0.0.1`,
      ...argv,
      `https://${NAME}:${httpsPort}/`,
    ]);
  const moved = stack.move();
  return { server, env, curl, httpPort, httpsPort, [Symbol.asyncDispose]: () => moved.disposeAsync() };
};

real(
  "a domain comes from add to curl over HTTP/2 with pebble's certificate by itself, and stops when it is removed",
  [...NEEDED, "pebble", "curl"],
  async () => {
    using place = directory();
    await using room = await opened(place.path);
    const { server, curl, httpPort, env } = room;
    const begun = performance.now();
    await attach(server);
    await until("curl is answered", async () => (await curl()).code === 0, 30_000);
    const took = performance.now() - begun;
    const answer = await curl("--http2", "--write-out", "%{http_version} %{response_code}");
    expect(answer).toMatchObject({ code: 0, stdout: "<h1>Docs</h1>2 200" });
    expect(took).toBeLessThan(MOST_MS);

    const plain = await fetch(`http://127.0.0.1:${httpPort}/a?b=c`, {
      headers: { host: NAME },
      redirect: "manual",
    });
    expect([plain.status, plain.headers.get("location")]).toEqual([
      301,
      `https://${NAME}:${env.HTTPS_PORT}/a?b=c`,
    ]);

    const listed = await store(["certificates", "list", "--json"], { cwd: place.path });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ hostname: NAME, status: "in_use" }]);
    expect(listed.stdout).not.toContain("PRIVATE");

    const before = new X509Certificate(await leafOf(curl));
    expect((await store(["certificates", "renew", NAME], { cwd: place.path })).code).toBe(0);
    await until(
      "another certificate is served",
      async () => new X509Certificate(await leafOf(curl)).serialNumber !== before.serialNumber,
      30_000,
    );

    const revoked = new X509Certificate(await leafOf(curl));
    const revocation = await store(["certificates", "revoke", NAME, "--yes"], { cwd: place.path });
    expect(revocation).toMatchObject({ code: 0, stdout: expect.stringContaining("It is revoked") });
    await until(
      "a certificate with another key is served",
      async () => {
        const pem = await leafOf(curl);
        return pem !== "" && new X509Certificate(pem).serialNumber !== revoked.serialNumber;
      },
      30_000,
    );

    expect((await server.call(`${domains}/${NAME}`, { method: "DELETE" })).status).toBe(204);
    expect((await curl()).code).toBe(35);
  },
);

real("the same where port 80 is closed, in the TLS handshake", [...NEEDED, "pebble", "curl"], async () => {
  using place = directory();
  await using room = await opened(place.path, usual, { challengePort: freePort() });
  await attach(room.server);
  await until("curl is answered", async () => (await room.curl()).code === 0, 30_000);
  const remove = ["domains", "remove", NAME, "--project", "site", "--yes", "--revoke"];
  expect(await store(remove, { cwd: place.path })).toMatchObject({ code: 0, stderr: "" });
  await until("nothing is served", async () => (await room.curl()).code === 35);
});

real("the same by caddy's authority", [...NEEDED, "caddy", "curl", "network namespaces"], async () => {
  using place = directory();
  await using room = await opened(place.path, caddy, { httpPort: 80 });
  await attach(room.server);
  await until("curl is answered", async () => (await room.curl()).code === 0, 30_000);
  expect(await room.curl("--http2", "--write-out", "%{http_version}")).toMatchObject({
    stdout: "<h1>Docs</h1>2",
  });
});

real("the API answers over HTTPS as over HTTP, with either protocol", ["curl"], async () => {
  using place = directory();
  const [host, httpsPort] = ["adopt.example.org", freePort()];
  const env = { BASE_URL: `https://${host}:${httpsPort}`, HTTPS_PORT: String(httpsPort) };
  await using server = await serve({ cwd: place.path, env });
  const own = await certificateAuthority();
  const { key, cert } = await own.issue([host]);
  const files = { key, cert, root: own.root };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place.path, name), text);
  const imported = await store(["certificates", "import", host, "--key", "key", "--chain", "cert"], {
    cwd: place.path,
  });
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  const ask = async (protocol: string, path: string, ...argv: string[]) => {
    const trust = ["--cacert", "root", "--resolve", `${host}:${httpsPort}:127.0.0.1`];
    const shown = ["--silent", "--output", "/dev/null", "--write-out", "%{http_version} %{http_code}"];
    const url = `https://${host}:${httpsPort}${path}`;
    return (await run(["curl", protocol, ...trust, ...shown, ...argv, url], { cwd: place.path })).stdout;
  };
  const bearer = ["--header", `Authorization: Bearer ${server.key}`];
  for (const [protocol, version] of [
    ["--http1.1", "1.1"],
    ["--http2", "2"],
  ] as const) {
    expect(await ask(protocol, "/livez")).toBe(`${version} 200`);
    expect(await ask(protocol, "/docs")).toBe(`${version} 200`);
    expect(await ask(protocol, "/v1/pets")).toBe(`${version} 401`);
    expect(await ask(protocol, "/v1/pets?limit=1", ...bearer)).toBe(`${version} 200`);
    const body = ["--json", '{"name":"Bella","categoryId":1}'];
    expect(await ask(protocol, "/v1/pets", ...bearer, ...body)).toBe(`${version} 201`);
  }
  const plain = await fetch(`${server.url}/livez`, { headers: { host }, redirect: "manual" });
  expect(plain.headers.get("location")).toBe(`https://${host}:${httpsPort}/livez`);
});

const REQUESTS = 50_000;

real(
  "50,000 requests over HTTP/2 are all answered while the certificate is swapped all the time",
  [...NEEDED, "pebble", "curl", "h2load"],
  async () => {
    using place = directory();
    await using room = await opened(place.path);
    await attach(room.server);
    await until("curl is answered", async () => (await room.curl()).code === 0, 30_000);
    const own = await certificateAuthority();
    const pairs = await Promise.all(["a", "b"].map(() => own.issue([NAME])));
    const files = pairs.map(({ key, cert }, at) => {
      writeFileSync(join(place.path, `${at}.key`), key);
      writeFileSync(join(place.path, `${at}.crt`), cert);
      return ["--key", join(place.path, `${at}.key`), "--chain", join(place.path, `${at}.crt`)];
    });
    const over = new AbortController();
    let swaps = 0;
    const swapping = (async () => {
      for (; !over.signal.aborted; swaps++) {
        const imported = await store(["certificates", "import", NAME, ...(files[swaps % 2] ?? [])], {
          cwd: place.path,
        });
        expect(imported.code).toBe(0);
      }
    })();
    // Many short runs: each makes new connections.
    let answered = 0;
    while (answered < REQUESTS) {
      const { stdout } = await run([
        "h2load",
        "--requests=2500",
        "--clients=25",
        "--max-concurrent-streams=10",
        `--connect-to=127.0.0.1:${room.httpsPort}`,
        `https://${NAME}:${room.httpsPort}/`,
      ]);
      expect(stdout).toContain("2500 succeeded, 0 failed, 0 errored, 0 timeout");
      answered += 2500;
    }
    over.abort();
    await swapping;
    expect(swaps).toBeGreaterThan(10);
  },
  240_000,
);

/** The certificate that a connection is secured with, PEM. */
const leafOf = async (curl: (...argv: string[]) => Promise<{ stdout: string }>): Promise<string> => {
  const { stdout } = await curl("--write-out", "%{certs}", "--output", "/dev/null");
  const at = stdout.indexOf("-----BEGIN");
  return at === -1 ? "" : stdout.slice(at);
};
