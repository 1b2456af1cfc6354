import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { createTestCa } from "../support/certificates.ts";
import { HOST, serveHttps } from "./https.ts";
import { publish, zonesWith } from "./site.ts";
import {
  type Begin,
  SLEEP_MS,
  caddy,
  freePort,
  shortLived,
  sleepy,
  surroundings,
  usual,
} from "./authorities.ts";
import { NEEDED, nameServers } from "./dns-servers.ts";
import { directory, real, run, serve, type Server, store, until } from "./support.ts";

const test = real(...NEEDED, "pebble", "curl");
const withoutCurl = real(...NEEDED, "pebble");
const underLoad = real(...NEEDED, "pebble", "curl", "h2load");
const withCaddy = real(...NEEDED, "caddy", "curl", "network namespaces");
const withoutAuthority = real("curl");

const NAME = "right.example.test";
/** From `add` to the first answer over HTTPS. */
const MAX_MS = 10_000;

const domains = "/platform/projects/site/domains";

const attach = async (server: Server, hostname = NAME) => {
  await server.send(domains, { hostname });
  await server.send(`${domains}/${hostname}/verify`);
};

/** The executable with HTTPS, name servers, a CA, and a project whose target leads here. */
const opened = async (
  place: string,
  begin: Begin = usual,
  ports: Parameters<typeof surroundings>[2] = {},
  dns: Parameters<typeof nameServers>[2] = {},
) => {
  const { servers, authority, env, httpPort, httpsPort } = await surroundings(place, begin, ports);
  const server = await serve({ cwd: place, env });
  const zones = zonesWith(await publish(server, "site"));
  const nameServer = await nameServers(zones, servers, dns);
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
  return {
    server,
    authority,
    env,
    curl,
    httpPort,
    httpsPort,
    zones,
    changeZones: nameServer.change,
  };
};

test("a domain comes from add to curl over HTTP/2 with pebble's certificate by itself, and stops when it is removed", async () => {
  const place = directory();
  const room = await opened(place);
  const { server, curl, httpPort, env } = room;
  const begun = performance.now();
  await attach(server);
  await until("curl is answered", async () => (await curl()).code === 0, 30_000);
  const took = performance.now() - begun;
  const answer = await curl("--http2", "--write-out", "%{http_version} %{response_code}");
  expect(answer).toMatchObject({ code: 0, stdout: "<h1>Docs</h1>2 200" });
  expect(took).toBeLessThan(MAX_MS);

  const plain = await fetch(`http://127.0.0.1:${httpPort}/a?b=c`, {
    headers: { host: NAME },
    redirect: "manual",
  });
  expect([plain.status, plain.headers.get("location")]).toEqual([
    301,
    `https://${NAME}:${env.HTTPS_PORT}/a?b=c`,
  ]);

  const listed = await store(["certificates", "list", "--json"], { cwd: place });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ hostname: NAME, status: "in_use" }]);
  expect(listed.stdout).not.toContain("PRIVATE");

  const before = new X509Certificate(await leafOf(curl));
  expect((await store(["certificates", "renew", NAME], { cwd: place })).code).toBe(0);
  await until(
    "another certificate is served",
    async () => new X509Certificate(await leafOf(curl)).serialNumber !== before.serialNumber,
    30_000,
  );

  const revoked = new X509Certificate(await leafOf(curl));
  const revocation = await store(["certificates", "revoke", NAME, "--yes"], { cwd: place });
  expect(revocation).toMatchObject({ code: 0, stdout: expect.stringContaining("is revoked") });
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
});

/** From the creation of a record to the first response over HTTPS, without a requested check. */
const MAX_AFTER_RECORD_MS = 60_000;
const HOUR_SECONDS = 3600;

test("a domain is live within 60 s after its record exists, without Verify, although absences may be cached for an hour", async () => {
  const place = directory();
  const soa = { ttl: HOUR_SECONDS, minimum: HOUR_SECONDS };
  const room = await opened(place, usual, {}, { soa });
  const { server, curl, zones, changeZones } = room;
  const inZone = zones["example.test"] ?? [];
  changeZones({ ...zones, "example.test": inZone.filter((line) => !line.startsWith(`${NAME} `)) });
  const shown = () => server.read<{ findings: unknown }>(`${domains}/${NAME}`);
  await server.send(domains, { hostname: NAME });
  // The checks after 10 and 20 s.
  await Bun.sleep(25_000);
  expect(await shown()).toMatchObject({ stage: "awaiting_dns", findings: [{ kind: "no_record" }] });
  changeZones(zones);
  const begun = performance.now();
  await until("curl is answered", async () => (await curl()).code === 0, MAX_AFTER_RECORD_MS);
  expect(performance.now() - begun).toBeLessThan(MAX_AFTER_RECORD_MS);
  expect(await shown()).toMatchObject({ stage: "live", findings: [] });
});

test("the same by a pebble that sleeps before it validates", async () => {
  const place = directory();
  const room = await opened(place, sleepy);
  const begun = performance.now();
  await attach(room.server);
  await until("curl is answered", async () => (await room.curl()).code === 0, 60_000);
  expect(performance.now() - begun).toBeLessThan(MAX_MS + SLEEP_MS);
});

test("the same where port 80 is closed, in the TLS handshake", async () => {
  const place = directory();
  const room = await opened(place, usual, { askedPort: freePort() });
  await attach(room.server);
  await until("curl is answered", async () => (await room.curl()).code === 0, 30_000);
  const remove = ["domains", "remove", NAME, "--project", "site", "--yes", "--revoke"];
  expect(await store(remove, { cwd: place })).toMatchObject({ code: 0, stderr: "" });
  await until("nothing is served", async () => (await room.curl()).code === 35);
});

/** A pebble that cannot connect to port 80, although this service can. */
const blocked: Begin = (place, where) => usual(place, { ...where, httpPort: freePort() });

test("if only the CA cannot reach port 80, the domain is proven in the TLS handshake of the next attempt", async () => {
  const place = directory();
  const room = await opened(place, blocked);
  await attach(room.server);
  await until("curl is answered", async () => (await room.curl()).code === 0, 60_000);
  const history = await room.server.read(`${domains}/${NAME}/history`);
  expect((history as { event: string }[]).map(({ event }) => event)).toEqual([
    "certificate_stored",
    "order_placed",
    "issue_refused",
    "order_placed",
    "records_right",
    "added",
  ]);
});

withCaddy("the same by caddy's authority", async () => {
  const place = directory();
  const room = await opened(place, caddy(NAME), { httpPort: 80 });
  await attach(room.server);
  await until("curl is answered", async () => (await room.curl()).code === 0, 30_000);
  expect(await room.curl("--http2", "--write-out", "%{http_version}")).toMatchObject({
    stdout: "<h1>Docs</h1>2",
  });
});

withoutAuthority("the API answers over HTTPS as over HTTP, with either protocol", async () => {
  const { url, key, trust, httpsUrl } = await serveHttps();
  const ask = async (protocol: string, path: string, ...argv: string[]) => {
    const shown = ["--silent", "--output", "/dev/null", "--write-out", "%{http_version} %{http_code}"];
    return (await run(["curl", protocol, ...trust, ...shown, ...argv, `${httpsUrl}${path}`])).stdout;
  };
  const bearer = ["--header", `Authorization: Bearer ${key}`];
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
  const plain = await fetch(`${url}/livez`, { headers: { host: HOST }, redirect: "manual" });
  expect(plain.headers.get("location")).toBe(`${httpsUrl}/livez`);
});

const REQUESTS = 50_000;
const RUN = 2500;

/** Sends so many requests over HTTP/2 and more until `isOver`, in short runs, each over new connections; all must be answered. */
const load = async (httpsPort: number, isOver: () => boolean = () => true): Promise<number> => {
  let answered = 0;
  while (answered < REQUESTS || !isOver()) {
    const { stdout } = await run([
      "h2load",
      `--requests=${RUN}`,
      "--clients=25",
      "--max-concurrent-streams=10",
      `--connect-to=127.0.0.1:${httpsPort}`,
      `https://${NAME}:${httpsPort}/`,
    ]);
    expect(stdout).toContain(`${RUN} succeeded, 0 failed, 0 errored, 0 timeout`);
    answered += RUN;
  }
  return answered;
};

underLoad(
  "50,000 requests over HTTP/2 are all answered while the certificate is swapped all the time",
  async () => {
    const place = directory();
    const room = await opened(place);
    await attach(room.server);
    await until("curl is answered", async () => (await room.curl()).code === 0, 30_000);
    const own = await createTestCa();
    const pairs = await Promise.all(["a", "b"].map(() => own.issue([NAME])));
    const files = pairs.map(({ key, cert }, index) => {
      writeFileSync(join(place, `${index}.key`), key);
      writeFileSync(join(place, `${index}.crt`), cert);
      return ["--key", join(place, `${index}.key`), "--chain", join(place, `${index}.crt`)];
    });
    const over = new AbortController();
    let swaps = 0;
    const swapping = (async () => {
      for (; !over.signal.aborted; swaps++) {
        const imported = await store(["certificates", "import", NAME, ...(files[swaps % 2] ?? [])], {
          cwd: place,
        });
        expect(imported.code).toBe(0);
      }
    })();
    await load(room.httpsPort);
    over.abort();
    await swapping;
    expect(swaps).toBeGreaterThan(10);
  },
);

const RENEWALS = 4;

underLoad(
  "50,000 requests over HTTP/2 are all answered while the authority renews the certificate again and again",
  async () => {
    const place = directory();
    const room = await opened(place);
    await attach(room.server);
    await until("curl is answered", async () => (await room.curl()).code === 0, 30_000);
    const serialNow = async () => {
      const pem = await leafOf(room.curl);
      return pem === "" ? undefined : new X509Certificate(pem).serialNumber;
    };
    const serials = new Set([await serialNow()]);
    const renewing = (async () => {
      for (let renewal = 0; renewal < RENEWALS; renewal++) {
        const renewed = await store(["certificates", "renew", NAME], { cwd: place });
        expect(renewed).toMatchObject({ code: 0, stderr: "" });
        await until(
          "another certificate is served",
          async () => {
            const serial = await serialNow();
            return serial !== undefined && !serials.has(serial);
          },
          60_000,
        );
        serials.add(await serialNow());
      }
    })();
    const isOver = () => serials.size > RENEWALS;
    await Promise.all([load(room.httpsPort, isOver), renewing]);
    expect(serials.size).toBe(RENEWALS + 1);
  },
);

const WAITING = "docs.sub.example.test";

/** The response over plain HTTP. */
const plainly = async (httpPort: number, host: string) => {
  const answer = await fetch(`http://127.0.0.1:${httpPort}/`, { headers: { host }, redirect: "manual" });
  const header = (name: string) => answer.headers.get(name);
  return {
    status: answer.status,
    location: header("location"),
    hsts: header("strict-transport-security"),
    page: await answer.text(),
  };
};

const warningsAt = async (server: Server): Promise<{ code: string; count: number; message: string }[]> =>
  (await server.read<{ warnings?: [] }>("/readyz")).warnings ?? [];

const warningAt = async (server: Server, code: string) =>
  (await warningsAt(server)).find((warning) => warning.code === code);

const statusWarnings = async (cwd: string): Promise<string[]> =>
  (JSON.parse((await store(["status", "--json"], { cwd })).stdout) as { warnings: string[] }).warnings;

/** The requests of visitors in the log. */
const visitsIn = (log: string): { level: string; status: number }[] =>
  log
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      if (!line.startsWith("{")) return [];
      const { route, level, status } = JSON.parse(line);
      return route === "site" ? [{ level, status }] : [];
    });

/** The certificate of a name has been missing for so long. */
const age = (cwd: string, hostname: string, ms: number): void => {
  using database = new Database(join(cwd, "data", "adoption-store.db"));
  database.run("update certificates set created_at = created_at - ? where hostname = ?", [ms, hostname]);
};

test("visitors of a suspended domain see its page with its certificate, and those of one that waits for a certificate see it over HTTP", async () => {
  const place = directory();
  const room = await opened(place);
  const { server, curl, httpPort, httpsPort, authority } = room;
  await attach(server);
  await until("curl is answered", async () => (await curl()).code === 0, 30_000);
  const certificate = await leafOf(curl);
  await authority[Symbol.asyncDispose]();
  await attach(server, WAITING);
  const waits = await plainly(httpPort, WAITING);
  expect(waits).toEqual({
    status: 503,
    location: null,
    hsts: null,
    page: expect.stringContaining(`<h1>${WAITING} is nearly ready</h1>`),
  });

  const change = (plan: string) => server.send("/platform/projects/site", { plan }, "PATCH");
  await change("free");
  for (const protocol of ["--http1.1", "--http2"])
    expect(await curl(protocol, "--write-out", "%{response_code}")).toEqual({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`<h1>${NAME} is suspended</h1>[^]*503$`)),
      stderr: "",
    });
  expect(await leafOf(curl)).toBe(certificate);
  expect(await plainly(httpPort, NAME)).toMatchObject({
    status: 301,
    location: `https://${NAME}:${httpsPort}/`,
  });
  // A refusal on purpose is no error.
  const refusals = visitsIn(server.stdout()).filter(({ status }) => status === 503);
  expect(refusals.length).toBeGreaterThan(2);
  expect(new Set(refusals.map(({ level }) => level))).toEqual(new Set(["info"]));

  await change("pro");
  expect(await curl()).toMatchObject({ code: 0, stdout: "<h1>Docs</h1>" });
});

withoutCurl(
  "a domain without a certificate after 30 minutes is a warning of readyz, metrics and status, and has its page",
  async () => {
    const place = directory();
    const room = await opened(place);
    const { server, env, authority, httpPort } = room;
    await authority[Symbol.asyncDispose]();
    await attach(server, WAITING);
    const shown = async (at: Server) =>
      (await (await at.call(`${domains}/${WAITING}`)).json()) as { certificate?: { problem?: object } };
    await until(
      "an attempt has failed",
      async () => (await shown(server)).certificate?.problem !== undefined,
    );
    expect(await warningAt(server, "certificates_overdue")).toBeUndefined();
    await server.stop();
    age(place, WAITING, 30 * 60_000);

    const later = await serve({ cwd: place, env });
    const message = `Names have no certificate after 30 minutes: ${WAITING}. Run adoption-store certificates show ${WAITING}`;
    await until("readyz warns", async () => (await warningAt(later, "certificates_overdue")) !== undefined);
    expect(await warningAt(later, "certificates_overdue")).toEqual({
      code: "certificates_overdue",
      count: 1,
      message,
    });
    const metrics = await (await later.call("/metrics")).text();
    expect(metrics).toContain('open_notices{kind="certificate_overdue"} 1');
    expect(await statusWarnings(place)).toContain(message);
    expect(await shown(later)).toMatchObject({ certificate: { status: "ssl_overdue" } });
    expect((await plainly(httpPort, WAITING)).status).toBe(503);
  },
);

/** Of a short-lived certificate. A quarter of it is left when the warning comes. */
const LIFETIME_SECONDS = 20;

test("a certificate is reported before it expires, and HSTS begins with a renewal and ends with the certificate", async () => {
  const place = directory();
  const room = await opened(place, shortLived(LIFETIME_SECONDS));
  const { server, curl, httpPort, authority } = room;
  const hsts = async (...argv: string[]) => {
    const shown = "%{response_code} %header{strict-transport-security}";
    const { code, stdout } = await curl("--output", "/dev/null", "--write-out", shown, ...argv);
    return code === 0 ? stdout : code;
  };
  await attach(server);
  await until("curl is answered", async () => (await curl()).code === 0, 30_000);
  expect(await hsts()).toBe("200 ");
  for (const seconds of [86_400, 172_800]) {
    const renewed = await store(["certificates", "renew", NAME], { cwd: place });
    expect(renewed).toMatchObject({ code: 0, stderr: "" });
    await until("it is renewed", async () => (await hsts()) === `200 max-age=${seconds}`);
  }
  expect(await plainly(httpPort, NAME)).toMatchObject({ status: 301, hsts: null });
  await authority[Symbol.asyncDispose]();

  const isReported = async () => (await warningAt(server, "certificates_end_soon")) !== undefined;
  await until("readyz warns", isReported, 30_000);
  expect(await curl()).toMatchObject({ code: 0, stdout: "<h1>Docs</h1>" });
  const ending = expect.stringContaining(`Certificates end soon: ${NAME} `);
  expect(await warningAt(server, "certificates_end_soon")).toMatchObject({ count: 1, message: ending });
  expect(await statusWarnings(place)).toContainEqual(ending);

  // As curl says of a certificate that has expired.
  await until("it has expired", async () => (await hsts()) === 60, 30_000);
  expect(await hsts("--insecure")).toBe("200 ");
  expect(await plainly(httpPort, NAME)).toMatchObject({ status: 200, hsts: null, page: "<h1>Docs</h1>" });
  const listed = await store(["certificates", "list", "--json"], { cwd: place });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ hostname: NAME, status: "expired" }]);
});

/** The certificate that a connection is secured with, PEM. */
const leafOf = async (curl: (...argv: string[]) => Promise<{ stdout: string }>): Promise<string> => {
  const { stdout } = await curl("--write-out", "%{certs}", "--output", "/dev/null");
  const at = stdout.indexOf("-----BEGIN");
  return at === -1 ? "" : stdout.slice(at);
};
