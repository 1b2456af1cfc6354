import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestCa } from "../support/certificates.ts";
import { freeServers, namesOf, settingsFor } from "./dns-servers.ts";
import { kept, until } from "./support.ts";

/** Below those that Linux gives to connections, one of which could take it before it is listened on; none is given twice. */
const PORTS = { first: 20_000, last: 32_000 };
let next = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));

const isFree = (port: number): boolean => {
  try {
    void Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response() }).stop(true);
    return true;
  } catch {
    return false;
  }
};

export const freePort = (): number => {
  do next = next < PORTS.last ? next + 1 : PORTS.first;
  while (!isFree(next));
  return next;
};

export interface Authority extends AsyncDisposable {
  directory: string;
  /** Who vouches for the directory's own server. */
  caFile: string;
  /** What it signs with. */
  rootFile: string;
}

export interface Where {
  httpPort: number;
  tlsPort: number;
  dns: string;
}

export type Begin = (place: string, where: Where) => Promise<Authority>;

/** Let's Encrypt's test authority: it rejects good nonces, and asks the name servers that it is given. */
const pebble = async (
  place: string,
  { httpPort, tlsPort, dns }: Where,
  env: Record<string, string>,
  more: { certificateValidityPeriod?: number } = {},
): Promise<Authority> => {
  const own = await createTestCa();
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
        ...more,
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

/** Caddy's CA, another third-party one: it requests challenges at port 80. */
export const caddy =
  (name: string): Begin =>
  async (place) => {
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
    // It asks the system for the addresses of the names that it validates. The hosts file of its namespace has them.
    const hosts = join(place, "hosts");
    writeFileSync(hosts, `127.0.0.1 localhost ${name}\n`);
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

const NONCES = { PEBBLE_WFE_NONCEREJECT: "30" };
const AWAKE = { ...NONCES, PEBBLE_VA_NOSLEEP: "1" };
export const usual: Begin = (place, where) => pebble(place, where, AWAKE);
/** Its certificates are valid for so many seconds. */
export const shortLived =
  (seconds: number): Begin =>
  (place, where) =>
    pebble(place, where, AWAKE, { certificateValidityPeriod: seconds });
/** It sleeps before it validates, at random and so long at the most. */
export const SLEEP_MS = 5000;
export const sleepy: Begin = (place, where) =>
  pebble(place, where, { ...NONCES, PEBBLE_VA_SLEEPTIME: String(SLEEP_MS / 1000) });

/** Longer than any test, in seconds. */
const NEVER = "100000";
/** How long an authority asks to wait for its decision, in seconds: longer than an attempt takes. */
const RETRY_AFTER = "600";

/** It never decides: a proxy before pebble, whose validation sleeps, adds the time until the next poll of an authorization. */
export const undecided: Begin = async (place, where) => {
  const { issue, root } = await createTestCa();
  const inner = await pebble(place, where, { ...NONCES, PEBBLE_VA_SLEEPTIME: NEVER });
  const innerRoot = readFileSync(inner.caFile, "utf8");
  const proxy = Bun.serve({
    hostname: "localhost",
    port: freePort(),
    tls: await issue(["localhost"]),
    async fetch({ url, method, headers, body }) {
      // The Host header stays: pebble compares it with the signed URL, and uses it in its own URLs.
      const path = url.slice(new URL(url).origin.length);
      const target = new URL(path, inner.directory);
      const response = await fetch(target, { method, headers, body, tls: { ca: innerRoot } });
      const changed = new Headers(response.headers);
      if (path.startsWith("/authZ/")) changed.set("retry-after", RETRY_AFTER);
      return new Response(await response.bytes(), { status: response.status, headers: changed });
    },
  });
  const caFile = join(place, "proxy-ca.crt");
  writeFileSync(caFile, root);
  return {
    directory: `https://localhost:${proxy.port}/dir`,
    caFile,
    rootFile: inner.rootFile,
    async [Symbol.asyncDispose]() {
      await proxy.stop(true);
      await inner[Symbol.asyncDispose]();
    },
  };
};

/**
 * An authority, which ends with the test, where name servers will be, and the settings of a server that asks both, with HTTPS.
 * @param askedPort where the authority fetches challenges, if not at `httpPort`
 */
export const surroundings = async (
  place: string,
  begin: Begin = usual,
  { httpPort = freePort(), askedPort = httpPort }: { httpPort?: number; askedPort?: number } = {},
) => {
  const servers = await freeServers();
  const { resolver } = namesOf(servers);
  const httpsPort = freePort();
  const authority = kept(await begin(place, { httpPort: askedPort, tlsPort: httpsPort, dns: resolver }));
  const env = {
    ...settingsFor(servers),
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: String(httpsPort),
    ACME_DIRECTORY: authority.directory,
    ACME_CA_FILE: authority.caFile,
    ACME_AGREE_TOS: "true",
    ACME_HTTP_PORT: String(askedPort),
    ACME_TLS_PORT: String(httpsPort),
  };
  return { servers, authority, env, httpPort, httpsPort };
};
