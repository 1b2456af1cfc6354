import { expect } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { type Resolve, resolveAddresses } from "../../src/protocols/dns/cname-chain.ts";
import { createTestCa } from "../support/certificates.ts";
import { publish, zone, zonesWith } from "./site.ts";
import { type Begin, freePort, surroundings, usual } from "./authorities.ts";
import { NEEDED, type Updatable, client, nameServers } from "./dns-servers.ts";
import { atEnd, kept, directory, real, run, serve, store, until } from "./support.ts";

const test = real(...NEEDED, "pebble");
const withUpdates = real(...NEEDED, "pebble", "tsig-keygen");
const withDig = real(...NEEDED, "pebble", "dig");
const withHook = real("pebble", "pebble-challtestsrv", "setpriv", "curl");

const DOMAIN = "sites.example.test";
const WILDCARD = `*.${DOMAIN}`;

const zones = (target: string): Record<string, string[]> => ({
  ...zonesWith(target),
  ...zone(DOMAIN, `*.${DOMAIN} A 127.0.0.1`),
});

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

withUpdates(
  "1,000 projects are served over HTTPS with one certificate, ordered once, over dynamic updates of named",
  async () => {
    const place = directory();
    const { servers, authority, env, httpsPort } = await surroundings(place, usual);
    const key = await keyFile(place);
    await nameServers(zones("x.pages.test"), servers, { updatable: key });
    const settings = {
      ...env,
      PLATFORM_DOMAIN: DOMAIN,
      DNS_UPDATE_SERVER: `127.0.0.1:${servers.authority.port}`,
      DNS_UPDATE_KEY_FILE: key.file,
    };
    const server = await serve({ cwd: place, env: settings });
    const slugs = Array.from({ length: 1000 }, (_, index) => `site-${index}`);
    await inParallel(slugs, 3, async (slug) => void (await publish(server, slug)));
    await inUse(place, WILDCARD);
    const root = readFileSync(authority.rootFile, "utf8");
    const seen = new Set<string>();
    await inParallel(slugs, 20, async (slug) => {
      seen.add(await fingerprintOf(httpsPort, `${slug}.${DOMAIN}`, root));
    });
    expect(seen.size).toBe(1);
    expect(ordersAt(place)).toBe(1);
    const listed = await store(["certificates", "list", "--json"], { cwd: place });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ hostname: WILDCARD, status: "in_use" }]);
  },
);

/** A CA that finds nothing over HTTP and TLS: only the DNS proves a name. */
const dnsOnly: Begin = (place, where) =>
  usual(place, { ...where, httpPort: freePort(), tlsPort: freePort() });

const shopZone = (lines: string[]) => zone("shop.test", ...lines);

withUpdates(
  "three domains of one project share a challenge record, and are live together although the CA's resolver caches it",
  async () => {
    const place = directory();
    const { servers, authority, env, httpsPort } = await surroundings(place, dnsOnly);
    const key = await keyFile(place);
    const names = ["docs", "news", "blog"].map((label) => `${label}.shop.test`);
    const old = names.map((name) => `${name} 1 A 127.0.0.9`);
    const parents = { ...zones("x.pages.test"), ...shopZone(old) };
    const dns = await nameServers(parents, servers, { updatable: key });
    const { PLATFORM_CNAME_TARGET: _, ...rest } = env;
    const settings = {
      ...rest,
      PLATFORM_DOMAIN: DOMAIN,
      DNS_UPDATE_SERVER: `127.0.0.1:${servers.authority.port}`,
      DNS_UPDATE_KEY_FILE: key.file,
    };
    const server = await serve({ cwd: place, env: settings });
    await publish(server, "site");
    await inUse(place, WILDCARD);
    const domains = "/platform/projects/site/domains";
    const post = (path: string, body: object = {}) =>
      server.send<{ stage: string; challengeRecord: { value: string } }>(path, body);
    const challenges: string[] = [];
    for (const hostname of names) {
      const { challengeRecord } = await post(domains, { hostname });
      challenges.push(`_acme-challenge.${hostname} 1 CNAME ${challengeRecord.value}`);
    }
    dns.change({ ...parents, ...shopZone([...old, ...challenges]) });
    await inParallel(names, names.length, (name) =>
      until(
        `${name} is live`,
        async () => {
          await Bun.sleep(6000);
          return (await post(`${domains}/${name}/verify`)).stage === "live";
        },
        60_000,
      ),
    );
    const root = readFileSync(authority.rootFile, "utf8");
    for (const name of names) expect(await fingerprintOf(httpsPort, name, root)).toBeString();
    // No order failed: one for the sites, and one for each domain.
    expect(ordersAt(place)).toBe(1 + names.length);
  },
);

/** The address of the service's own name server: named listens at 127.0.0.1. */
const OWN_ADDRESS = "127.0.0.4";
const SHOP = "docs.shop.test";

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
    ...shopZone(lines),
  };
};

/** The HTTPS records of a name at the service's own name server. */
const httpsRecordsOf = async (name: string, port: number): Promise<string> =>
  (
    await run(["dig", "+short", "+norecurse", "-p", `${port}`, `@${OWN_ADDRESS}`, name, "HTTPS"])
  ).stdout.trim();

/** The service with its own name server, the deployed project `site`, and its domain SHOP, which `old` points elsewhere. */
const openShop = async (place: string, old: string) => {
  const { servers, authority, env, httpsPort } = await surroundings(place, dnsOnly);
  const { PLATFORM_CNAME_TARGET: _, ...rest } = env;
  const { port } = servers.authority;
  const settings = {
    ...rest,
    // As if a router mapped port 443: HTTPS records point nowhere else.
    BASE_URL: "https://localhost",
    PLATFORM_DOMAIN: DOMAIN,
    NAMESERVER: "ns1.example.test",
    PUBLIC_ADDRESSES: "127.0.0.1",
    DNS_LISTEN_HOST: OWN_ADDRESS,
    DNS_LISTEN_PORT: String(port),
  };
  const parents = delegatingZones([old]);
  const dns = await nameServers(parents, servers, {
    delegated: { zone: DOMAIN, address: OWN_ADDRESS },
  });
  const server = await serve({ cwd: place, env: settings });
  await publish(server, "site");
  await inUse(place, WILDCARD);
  const domains = "/platform/projects/site/domains";
  const post = (path: string, body: object = {}) =>
    server.send<{ stage: string; record: { value: string }; challengeRecord: { value: string } }>(path, body);
  const { record, challengeRecord } = await post(domains, { hostname: SHOP });
  return {
    httpsPort,
    port,
    root: readFileSync(authority.rootFile, "utf8"),
    record,
    challenge: `_acme-challenge.${SHOP} 1 CNAME ${challengeRecord.value}`,
    add: (hostname: string) => post(domains, { hostname }),
    setRecords: (...lines: string[]) => dns.change({ ...parents, ...shopZone(lines) }),
    /** Verifies the domain, at most ten times a minute, until it is live. */
    untilLive: () =>
      until(
        "the domain is live",
        async () => {
          await Bun.sleep(2000);
          return (await post(`${domains}/${SHOP}/verify`)).stage === "live";
        },
        30_000,
      ),
    show: () =>
      server.read<{
        stage: string;
        verifiedAt?: string;
        certificate?: { problem?: { type: string } };
        findings: { kind: string; message: string; challenge?: { name: string; value: string } }[];
      }>(`${domains}/${SHOP}`),
  };
};

withDig(
  "over the service's own name server, a domain has its certificate before its traffic moves, and is renewed without port 80",
  async () => {
    const place = directory();
    const old = `${SHOP} 1 A 127.0.0.9`;
    const shop = await openShop(place, old);
    const { httpsPort, port, root, record, challenge } = shop;
    expect(await fingerprintOf(httpsPort, `site.${DOMAIN}`, root)).toBeString();
    expect(await httpsRecordsOf(`site.${DOMAIN}`, port)).toBe('1 . alpn="h2,http/1.1"');
    expect(await httpsRecordsOf(record.value, port)).toBe("");
    shop.setRecords(old, challenge);
    await shop.untilLive();
    expect((await shop.show()).findings.map(({ kind }) => kind)).toEqual(["not_moved"]);
    expect(await httpsRecordsOf(record.value, port)).toBe('1 . alpn="h2,http/1.1"');
    const wildcard = "*.shop.test";
    const needed = await shop.add(wildcard);
    shop.setRecords(
      `${SHOP} 1 CNAME ${record.value}`,
      challenge,
      `${wildcard} 1 CNAME ${needed.record.value}`,
      `_acme-challenge.shop.test 1 CNAME ${needed.challengeRecord.value}`,
    );
    expect(
      (await store(["domains", "verify", wildcard, "--project", "site", "--wait"], { cwd: place })).code,
    ).toBe(0);
    expect(await fingerprintOf(httpsPort, "any.shop.test", root)).toBeString();
    expect(await fingerprintOf(httpsPort, "a.any.shop.test", root).catch(() => "refused")).toBe("refused");

    const before = await fingerprintOf(httpsPort, SHOP, root);
    expect(ordersAt(place)).toBe(3);
    expect((await store(["certificates", "renew", SHOP], { cwd: place })).code).toBe(0);
    await until(
      "another certificate is served",
      async () => (await fingerprintOf(httpsPort, SHOP, root)) !== before,
      30_000,
    );
  },
);

test("a domain whose CAA record allows only dns-01 gets the CNAME record to add as a finding, and is live with exactly that record", async () => {
  const place = directory();
  const caa = 'shop.test 1 CAA 0 issue "ca.test; validationmethods=dns-01"';
  const shop = await openShop(place, caa);
  const { httpsPort, root, record } = shop;
  const cname = `${SHOP} 1 CNAME ${record.value}`;
  shop.setRecords(caa, cname);
  const isRefused = async () => (await shop.show()).certificate?.problem?.type === "records";
  await until("the certificate is refused", isRefused, 30_000);
  const { findings } = await shop.show();
  expect(findings).toMatchObject([
    {
      kind: "caa_forbids",
      responsible: "holder",
      name: "shop.test",
      parameter: "validationmethods",
      challenge: { name: `_acme-challenge.${SHOP}` },
    },
  ]);
  const [{ message, challenge } = {}] = findings;
  expect(message).toContain(
    `Create a CNAME record with the name ${challenge?.name} and the value ${challenge?.value}`,
  );
  expect(await fingerprintOf(httpsPort, SHOP, root).catch(() => "refused")).toBe("refused");
  shop.setRecords(caa, cname, `${challenge?.name} 1 CNAME ${challenge?.value}`);
  // No client requests a check.
  await until("the domain is live", async () => (await shop.show()).stage === "live", 40_000);
  expect(await fingerprintOf(httpsPort, SHOP, root)).toBeString();
  expect((await shop.show()).findings).toEqual([]);
});

const OLD_ADDRESS = "127.0.0.9";
const OLD_PAGE = "<h1>The old host</h1>";

/** The old host of the site, with a certificate of another CA. */
const oldHost = async () => {
  const { root, issue } = await createTestCa();
  const server = Bun.serve({
    hostname: OLD_ADDRESS,
    port: 0,
    tls: await issue([SHOP]),
    fetch: () => new Response(OLD_PAGE),
  });
  return { root, port: server.port ?? 0, [Symbol.asyncDispose]: () => server.stop(true) };
};

/** The response to a visitor who connects to an address. @throws if the certificate is not trusted, or not for the name */
const fetchPage = (host: string, port: number, ca: string[]): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host, port, servername: SHOP, ca }, () => {
    socket.write(`GET / HTTP/1.1\r\nHost: ${SHOP}\r\nConnection: close\r\n\r\n`);
  });
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (data) => (text += String(data)));
  socket.on("end", () => resolve(text));
  socket.on("error", reject);
  return promise;
};

/** Visits every 50 ms until disposal. Each visit looks up the address at the zones' own servers. */
const visitor = (dnsPort: number, portOf: (address: string) => number, ca: string[]) => {
  const visits: string[] = [];
  const ask: Resolve = (question) => {
    const isOwn = question.name.endsWith(`.${DOMAIN}`);
    return client({ address: isOwn ? OWN_ADDRESS : "127.0.0.1", port: dnsPort }, question, false);
  };
  const visit = async (): Promise<string> => {
    const [address = "no address"] = await resolveAddresses(ask, SHOP);
    const response = await fetchPage(address, portOf(address), ca);
    return `${response.slice(9, 12)} ${response.includes(OLD_PAGE) ? "old" : "new"}`;
  };
  const running = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    const one = visit()
      .catch(String)
      .then((seen) => visits.push(seen))
      .finally(() => running.delete(one));
    running.add(one);
  }, 50);
  return {
    visits,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
};

test("a site moves here from its old host, and a visitor every 50 ms sees no error and no certificate warning", async () => {
  const place = directory();
  const old = kept(await oldHost());
  const shop = await openShop(place, `${SHOP} 1 A ${OLD_ADDRESS}`);
  const portOf = (address: string) => (address === OLD_ADDRESS ? old.port : shop.httpsPort);
  const { visits } = kept(visitor(shop.port, portOf, [old.root, shop.root]));
  await until("the old host is visited", () => visits.length > 5);
  shop.setRecords(`${SHOP} 1 A ${OLD_ADDRESS}`, shop.challenge);
  await shop.untilLive();
  expect(new Set(visits)).toEqual(new Set(["200 old"]));
  expect((await shop.show()).verifiedAt).toBeUndefined();
  const { length: before } = visits;
  // No check sees this change, because the name is already served.
  shop.setRecords(`${SHOP} 1 CNAME ${shop.record.value}`, shop.challenge);
  await until("visitors have moved", () => visits.length > before + 40 && visits.at(-1) === "200 new");
  const moved = visits.indexOf("200 new");
  expect(new Set(visits.slice(0, moved))).toEqual(new Set(["200 old"]));
  expect(new Set(visits.slice(moved + 5))).toEqual(new Set(["200 new"]));
  expect(new Set(visits)).toEqual(new Set(["200 old", "200 new"]));
  await shop.untilLive();
  expect(await shop.show()).toMatchObject({ verifiedAt: expect.any(String), findings: [] });
});

withHook("a hook publishes the records of a wildcard, and removes them", async () => {
  const place = directory();
  const [dns, management] = [freePort(), freePort()];
  const child = Bun.spawn(
    ["setpriv", "--pdeathsig", "TERM", "pebble-challtestsrv", "-dns01", `127.0.0.1:${dns}`]
      .concat(["-management", `127.0.0.1:${management}`, "-http01", "", "-https01", "", "-tlsalpn01", ""])
      .concat(["-defaultIPv6", ""]),
    { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  atEnd(async () => {
    child.kill();
    await child.exited;
  });
  const hook = join(place, "hook");
  const script = `#!/bin/sh
set -eu
echo "$1 $2" >> ${place}/calls
case $1 in add) path=set-txt ;; remove) path=clear-txt ;; esac
curl --fail --silent -d '{"host":"'$2'.","value":"'$3'"}' http://127.0.0.1:${management}/$path
`;
  writeFileSync(hook, script);
  chmodSync(hook, 0o700);
  const { env } = await surroundings(place, (at, where) => usual(at, { ...where, dns: `127.0.0.1:${dns}` }));
  const settings = {
    ...env,
    DNS_RESOLVERS: `127.0.0.1:${dns}`,
    PLATFORM_DOMAIN: DOMAIN,
    DNS_CHALLENGE_HOOK: hook,
  };
  await serve({ cwd: place, env: settings });
  await inUse(place, WILDCARD);
  expect(readFileSync(join(place, "calls"), "utf8")).toBe(
    `add _acme-challenge.${DOMAIN}\nremove _acme-challenge.${DOMAIN}\n`,
  );
});
