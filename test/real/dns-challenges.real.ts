import { expect } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { tarGzOf } from "../deploys/archives.ts";
import { zonesOf } from "../dns-checks/cases.ts";
import { type Begin, freePort, surroundings, usual } from "./authorities.ts";
import { NEEDED, type Updatable, nameServers } from "./dns-servers.ts";
import { directory, real, run, serve, type Server, store, until } from "./support.ts";

const DOMAIN = "sites.example.test";
const WILDCARD = `*.${DOMAIN}`;
const json = { "content-type": "application/json" };
const site = tarGzOf([{ name: "index.html", content: "<h1>Docs</h1>" }]);

const zones = (target: string): Record<string, string[]> => ({
  ...zonesOf({ usual: target, forbidden: "forbidden.pages.test", wide: "wide.pages.test" }),
  [DOMAIN]: [`${DOMAIN} NS ns.${DOMAIN}`, `ns.${DOMAIN} A 127.0.0.1`, `*.${DOMAIN} A 127.0.0.1`],
});

const makeProject = async (server: Server, slug: string) => {
  const made = await server.call("/platform/projects", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ slug, name: slug, plan: "pro" }),
  });
  expect(made.status).toBe(201);
  const deployed = await server.call(`/platform/projects/${slug}/deploys`, {
    method: "POST",
    headers: { "content-type": "application/gzip" },
    body: site,
  });
  expect(deployed.status).toBe(201);
};

/** Runs the work on every item, a few at a time. */
const inParallel = async <Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
) => {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

/** The SHA-256 of the certificate that a name is served with. */
const fingerprintOf = (port: number, servername: string, ca: string): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port, servername, ca }, () => {
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    resolve(fingerprint256);
  });
  socket.on("error", reject);
  return promise;
};

const statusOf = async (
  cwd: string,
  name: string,
): Promise<{ status?: string; problem?: { detail: string } }> => {
  const { stdout } = await store(["certificates", "show", name, "--json"], { cwd });
  return stdout === "" ? {} : (JSON.parse(stdout) as { status: string });
};

const inUse = (cwd: string, name: string) =>
  until(
    `${name} has a certificate`,
    async () => (await statusOf(cwd, name)).status === "in_use",
    30_000,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)} ${JSON.stringify(await statusOf(cwd, name))}`);
  });

/** The orders that pebble has had. */
const ordersAt = (place: string): number => {
  const counts = readFileSync(join(place, "pebble.log"), "utf8").matchAll(/There are now (\d+) orders/g);
  return Math.max(0, ...[...counts].map(([, count]) => Number(count)));
};

const keyFile = async (place: string): Promise<Updatable & { file: string }> => {
  const { stdout: key } = await run(["tsig-keygen", "-a", "hmac-sha256", "acme.key"]);
  const file = join(place, "update.key");
  writeFileSync(file, key, { mode: 0o600 });
  return { zone: DOMAIN, key, keyName: "acme.key", file };
};

real(
  "1,000 projects are served over HTTPS with one certificate, ordered once, over dynamic updates of named",
  [...NEEDED, "pebble", "tsig-keygen"],
  async () => {
    using place = directory();
    await using stack = new AsyncDisposableStack();
    const { servers, authority, env, httpsPort } = await surroundings(place.path, usual);
    stack.use(authority);
    const key = await keyFile(place.path);
    mkdirSync(join(place.path, "dns"));
    stack.use(await nameServers(join(place.path, "dns"), zones("x.pages.test"), servers, { updatable: key }));
    const settings = {
      ...env,
      PLATFORM_DOMAIN: DOMAIN,
      DNS_UPDATE_SERVER: `127.0.0.1:${servers.authority.port}`,
      DNS_UPDATE_KEY_FILE: key.file,
    };
    const server = stack.use(await serve({ cwd: place.path, env: settings }));
    const slugs = Array.from({ length: 1000 }, (_, at) => `site-${at}`);
    await inParallel(slugs, 3, (slug) => makeProject(server, slug));
    await inUse(place.path, WILDCARD);
    const root = readFileSync(authority.rootFile, "utf8");
    const seen = new Set<string>();
    await inParallel(slugs, 20, async (slug) => {
      seen.add(await fingerprintOf(httpsPort, `${slug}.${DOMAIN}`, root));
    });
    expect(seen.size).toBe(1);
    expect(ordersAt(place.path)).toBe(1);
    const listed = await store(["certificates", "list", "--json"], { cwd: place.path });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ hostname: WILDCARD, status: "in_use" }]);
  },
);

/** Where the service's own name server listens, beside named at 127.0.0.1. */
const OWN_ADDRESS = "127.0.0.4";
const SHOP = "docs.shop.test";

/** A CA that finds nothing over HTTP and TLS: only the DNS proves a name. */
const dnsOnly: Begin = (place, where) =>
  usual(place, { ...where, httpPort: freePort(), tlsPort: freePort() });

const shopZone = (lines: string[]) => ["shop.test NS ns.shop.test", "ns.shop.test A 127.0.0.1", ...lines];

/** The zones of named: that of the sites is delegated to the service. */
const delegatingZones = (lines: string[]) => {
  const { [DOMAIN]: _own, ...base } = zones("x.pages.test");
  return {
    ...base,
    "example.test": [
      ...(base["example.test"] ?? []),
      `ns1.example.test A ${OWN_ADDRESS}`,
      `${DOMAIN} NS ns1.example.test`,
    ],
    "shop.test": shopZone(lines),
  };
};

/** The HTTPS records of a name at the service's own name server. */
const httpsRecordsOf = async (name: string, port: number): Promise<string> =>
  (
    await run(["dig", "+short", "+norecurse", "-p", `${port}`, `@${OWN_ADDRESS}`, name, "HTTPS"])
  ).stdout.trim();

real(
  "over the service's own name server, a domain has its certificate before its traffic moves, and is renewed without port 80",
  [...NEEDED, "pebble", "dig"],
  async () => {
    using place = directory();
    await using stack = new AsyncDisposableStack();
    const { servers, authority, env, httpsPort } = await surroundings(place.path, dnsOnly);
    stack.use(authority);
    const { PLATFORM_CNAME_TARGET: _, ...rest } = env;
    const settings = {
      ...rest,
      // As if a router mapped port 443: HTTPS records lead nowhere else.
      BASE_URL: "https://localhost",
      PLATFORM_DOMAIN: DOMAIN,
      NAMESERVER: "ns1.example.test",
      PUBLIC_ADDRESSES: "127.0.0.1",
      DNS_LISTEN_HOST: OWN_ADDRESS,
      DNS_LISTEN_PORT: String(servers.authority.port),
    };
    mkdirSync(join(place.path, "dns"));
    const old = `${SHOP} 1 A 127.0.0.9`;
    const parents = delegatingZones([old]);
    const dns = stack.use(
      await nameServers(join(place.path, "dns"), parents, servers, {
        delegated: { zone: DOMAIN, address: OWN_ADDRESS },
      }),
    );
    const server = stack.use(await serve({ cwd: place.path, env: settings }));
    await makeProject(server, "site");
    await inUse(place.path, WILDCARD);
    const root = readFileSync(authority.rootFile, "utf8");
    expect(await fingerprintOf(httpsPort, `site.${DOMAIN}`, root)).toBeString();
    const { port } = servers.authority;
    expect(await httpsRecordsOf(`site.${DOMAIN}`, port)).toBe('1 . alpn="h2,http/1.1"');

    const domains = "/platform/projects/site/domains";
    const post = async (path: string, body: object = {}) =>
      (await (
        await server.call(path, { method: "POST", headers: json, body: JSON.stringify(body) })
      ).json()) as { stage: string; record: { value: string }; challengeRecord: { value: string } };
    const { record, challengeRecord } = await post(domains, { hostname: SHOP });
    expect(await httpsRecordsOf(record.value, port)).toBe("");
    const challenge = `_acme-challenge.${SHOP} 1 CNAME ${challengeRecord.value}`;
    dns.change({ ...parents, "shop.test": shopZone([old, challenge]) });
    /** Ten verifications a minute are allowed. */
    const verify = async () => {
      await Bun.sleep(2000);
      return server.call(`${domains}/${SHOP}/verify`, { method: "POST" });
    };
    await until(
      "the delegated challenge is seen",
      async () => {
        await verify();
        return (await statusOf(place.path, SHOP)).status !== undefined;
      },
      30_000,
    );
    await inUse(place.path, SHOP);
    expect(((await (await server.call(`${domains}/${SHOP}`)).json()) as { stage: string }).stage).not.toBe(
      "live",
    );
    expect(await fingerprintOf(httpsPort, SHOP, root).catch(() => "refused")).toBe("refused");

    const moved = [`${SHOP} 1 CNAME ${record.value}`, challenge];
    dns.change({ ...parents, "shop.test": shopZone(moved) });
    await until(
      "the domain is live",
      async () => ((await (await verify()).json()) as { stage: string }).stage === "live",
      30_000,
    );
    expect(await httpsRecordsOf(record.value, port)).toBe('1 . alpn="h2,http/1.1"');
    const wildcard = "*.shop.test";
    const needed = await post(domains, { hostname: wildcard });
    const both = [
      `${wildcard} 1 CNAME ${needed.record.value}`,
      `_acme-challenge.shop.test 1 CNAME ${needed.challengeRecord.value}`,
    ];
    dns.change({ ...parents, "shop.test": shopZone([...moved, ...both]) });
    expect(
      (await store(["domains", "verify", wildcard, "--project", "site", "--wait"], { cwd: place.path })).code,
    ).toBe(0);
    expect(await fingerprintOf(httpsPort, "any.shop.test", root)).toBeString();
    expect(await fingerprintOf(httpsPort, "a.any.shop.test", root).catch(() => "refused")).toBe("refused");

    const before = await fingerprintOf(httpsPort, SHOP, root);
    expect(ordersAt(place.path)).toBe(3);
    expect((await store(["certificates", "renew", SHOP], { cwd: place.path })).code).toBe(0);
    await until(
      "another certificate is served",
      async () => (await fingerprintOf(httpsPort, SHOP, root)) !== before,
      30_000,
    );
  },
);

real(
  "a hook publishes the records of a wildcard, and removes them",
  ["pebble", "pebble-challtestsrv", "curl"],
  async () => {
    using place = directory();
    await using stack = new AsyncDisposableStack();
    const [dns, management] = [freePort(), freePort()];
    const child = Bun.spawn(
      ["setpriv", "--pdeathsig", "TERM", "pebble-challtestsrv", "-dns01", `127.0.0.1:${dns}`]
        .concat(["-management", `127.0.0.1:${management}`, "-http01", "", "-https01", "", "-tlsalpn01", ""])
        .concat(["-defaultIPv6", ""]),
      { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
    );
    stack.defer(async () => {
      child.kill();
      await child.exited;
    });
    const hook = join(place.path, "hook");
    const script = `#!/bin/sh
set -eu
echo "$1 $2" >> ${place.path}/calls
case $1 in add) path=set-txt ;; remove) path=clear-txt ;; esac
curl --fail --silent -d '{"host":"'$2'.","value":"'$3'"}' http://127.0.0.1:${management}/$path
`;
    writeFileSync(hook, script);
    chmodSync(hook, 0o700);
    const { authority, env } = await surroundings(place.path, (at, where) =>
      usual(at, { ...where, dns: `127.0.0.1:${dns}` }),
    );
    stack.use(authority);
    const settings = {
      ...env,
      DNS_RESOLVERS: `127.0.0.1:${dns}`,
      PLATFORM_DOMAIN: DOMAIN,
      DNS_CHALLENGE_HOOK: hook,
    };
    stack.use(await serve({ cwd: place.path, env: settings }));
    await inUse(place.path, WILDCARD);
    expect(readFileSync(join(place.path, "calls"), "utf8")).toBe(
      `add _acme-challenge.${DOMAIN}\nremove _acme-challenge.${DOMAIN}\n`,
    );
  },
);
