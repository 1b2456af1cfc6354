import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestCa } from "../support/certificates.ts";
import { type Bench, freePort, serve, withServers } from "./bench.ts";
import type { DataDir } from "./databases.ts";
import { Refused } from "./options.ts";
import { type Server, cpuSeconds, launch } from "./processes.ts";
import { page } from "./site.ts";
import { atMost, megabytes, section, whole } from "./table.ts";

const PER_PROJECT = 5;
/** Concurrent requests: the number of archives that a key may upload. */
const CONCURRENT = 4;
const MINUTES = 10;
/** In about one run of ten, Pebble 2.4 deadlocks when an order is polled while it is finalized. Every later POST then hangs. */
const STALLED_SECONDS = 90;

interface Customer {
  slug: string;
  hostname: string;
  zone: string;
}

const slugsOf = (projects: number): string[] =>
  Array.from({ length: projects }, (_, index) => `project-${index}`);

const customersOf = (slugs: readonly string[]): Customer[] =>
  Array.from({ length: PER_PROJECT }, () => slugs)
    .flat()
    .map((slug, index) => ({
      slug,
      zone: `customer-${index}.test`,
      hostname: `docs.customer-${index}.test`,
    }));

/** The server under test, and a key that may do everything. */
interface Service extends Pick<Server, "url"> {
  key: string;
}

/** @throws Refused unless the request succeeds */
const send = async (
  { url, key }: Service,
  path: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<unknown> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": type };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
  if (response.status !== 201) throw new Refused(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

const inBatches = async <Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  for (let at = 0; at < items.length; at += CONCURRENT)
    await Promise.all(items.slice(at, at + CONCURRENT).map(work));
};

/** Creates the projects with a deploy each. @returns their targets, by slug */
const createProjects = async (
  service: Service,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const archive = await new Bun.Archive({ "index.html": page() }, { compress: "gzip" }).bytes();
  const targets = new Map<string, string>();
  await inBatches(slugs, async (slug) => {
    const project = JSON.stringify({ slug, name: slug, plan: "pro" });
    const created = await send(service, "/platform/projects", "application/json", project);
    targets.set(slug, (created as { target: string }).target);
    await send(service, `/platform/projects/${slug}/deploys`, "application/gzip", archive);
  });
  return targets;
};

const ZONE_HEAD = "@ 300 IN SOA ns.test. root.test. 1 3600 600 86400 3600\n@ 300 IN NS ns.test.\n";

const optionsOf = (place: string, port: number, statistics: number, more: string): string => `
  options {
    directory "${place}"; pid-file none; lock-file none; session-keyfile "${place}/session.key";
    listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
    empty-zones-enable no; dnssec-validation no; ${more}
  };
  controls { };
  statistics-channels { inet 127.0.0.1 port ${statistics} allow { 127.0.0.1; }; };
`;

const startNamed = (place: string, config: string): Server => {
  const file = join(place, "named.conf");
  writeFileSync(file, config);
  const child = launch(["named", "-4", "-f", "-n", "1", "-c", file], { cwd: place, output: "ignore" });
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { name: "named", pid: child.pid, url: "", stop };
};

interface NameServer {
  server: Server;
  port: number;
  /** The number of queries so far. */
  queries(): Promise<number>;
}

const nameServer = async (
  { directory }: Bench,
  name: string,
  more: string,
  zones: (place: string) => string,
): Promise<NameServer> => {
  const place = join(directory, name);
  mkdirSync(place);
  const [port, statistics] = [await freePort(), await freePort()];
  const server = startNamed(place, `${optionsOf(place, port, statistics, more)}${zones(place)}`);
  const queries = async () => {
    const response = await fetch(`http://127.0.0.1:${statistics}/json/v1/server`, { keepalive: false });
    const { opcodes } = (await response.json()) as { opcodes: { QUERY: number } };
    return opcodes.QUERY;
  };
  for (let tries = 0; ; tries++)
    try {
      await queries();
      return { server, port, queries };
    } catch (error) {
      if (tries > 200) throw new Refused(`${name} did not start: ${String(error)}`);
      await Bun.sleep(50);
    }
};

/** The zones of all customers, each with its CNAME record, and the zone of the targets. */
const zonesFor =
  (customers: readonly Customer[], targets: ReadonlyMap<string, string>) => (place: string) => {
    const zone = (name: string, lines: string) => {
      writeFileSync(join(place, `${name}.zone`), `${ZONE_HEAD}${lines}\n`);
      return `zone "${name}" { type primary; file "${name}.zone"; };\n`;
    };
    return [
      zone("test", "ns 300 IN A 127.0.0.1"),
      zone("pages.test", "* 300 IN A 127.0.0.1"),
      ...customers.map(({ zone: name, slug }) => zone(name, `docs 300 IN CNAME ${targets.get(slug)}.`)),
    ].join("");
  };

/** Let's Encrypt's test CA, without its random waits. */
const startCa = async ({ directory }: Bench, resolver: number, httpPort: number, tlsPort: number) => {
  const own = await createTestCa();
  const { key, cert } = await own.issue(["localhost"]);
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const [port, management] = [await freePort(), await freePort()];
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: file("ca.crt", cert),
    privateKey: file("ca.key", key),
    httpPort,
    tlsPort,
  };
  const child = launch(
    [
      "pebble",
      "-config",
      file("pebble.json", JSON.stringify({ pebble })),
      "-dnsserver",
      `127.0.0.1:${resolver}`,
    ],
    {
      cwd: directory,
      env: { PATH: process.env["PATH"] ?? "", PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "0" },
      output: "ignore",
    },
  );
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return {
    server: { name: "pebble", pid: child.pid, url: "", stop },
    directory: `https://localhost:${port}/dir`,
    caFile: file("ca-root.crt", own.root),
  };
};

const peakMemory = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

/** Counts the domains that are live, without asking the server. */
const liveCounter = ({ file }: DataDir) => {
  const database = new Database(file, { readonly: true });
  const statement = database.query<{ live: number }, []>(
    "select count(*) as live from domains where stage = 'live'",
  );
  return { count: () => statement.get()?.live ?? 0, close: () => database.close() };
};

/**
 * Adds all domains, and waits until they are live.
 * @returns seconds from the first request until each share is live, if reached
 * @throws Refused if the CA stalls
 */
const addAll = async (service: Service, data: DataDir, customers: readonly Customer[]) => {
  const most = customers.length;
  const live = liveCounter(data);
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const adding = inBatches(customers, async ({ slug, hostname }) => {
    const body = JSON.stringify({ hostname });
    await send(service, `/platform/projects/${slug}/domains`, "application/json", body);
  });
  const reached = new Map<number, number>();
  let count = 0;
  let progressAt = 0;
  while (count < most && seconds() < MINUTES * 60) {
    await Bun.sleep(500);
    const before = count;
    count = live.count();
    if (count > before) progressAt = seconds();
    if (seconds() - progressAt > STALLED_SECONDS)
      throw new Refused(
        `${count} of ${most} domains are live, and none became live for ${STALLED_SECONDS} s. Pebble may be deadlocked: run this part again.`,
      );
    for (const share of [0.5, 0.99, 1])
      if (count >= share * most && !reached.has(share)) reached.set(share, seconds());
  }
  await adding;
  live.close();
  return { reached, count };
};

const time = (seconds: number | undefined): string =>
  seconds === undefined ? `not within ${MINUTES} minutes` : `${seconds.toFixed(0)} s`;

/** Domains of many projects from added to live, all together. */
export const issuance = async (bench: Bench): Promise<string> => {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const slugs = slugsOf(bench.quick ? 20 : 200);
  const customers = customersOf(slugs);
  const domains = customers.length;
  const data = bench.databases.make("issuance", 0);
  const settings = { HTTP_PORT: String(httpPort), PLATFORM_CNAME_TARGET: "pages.test" };
  const setUp = await serve(bench, data, settings);
  const targets = await withServers([setUp], () => createProjects({ url: setUp.url, key: data.key }, slugs));
  const authority = await nameServer(bench, "authority", "recursion no;", zonesFor(customers, targets));
  const resolver = await nameServer(
    bench,
    "resolver",
    "recursion yes;",
    () => `zone "test" { type forward; forward only; forwarders { 127.0.0.1 port ${authority.port}; }; };`,
  );
  const ca = await startCa(bench, resolver.port, httpPort, httpsPort);
  const server = await serve(bench, data, {
    ...settings,
    HTTPS_PORT: String(httpsPort),
    DNS_RESOLVERS: `127.0.0.1:${resolver.port}`,
    DNS_PORT: String(authority.port),
    DNS_PRIVATE: "yes",
    ACME_DIRECTORY: ca.directory,
    ACME_CA_FILE: ca.caFile,
    ACME_AGREE_TOS: "true",
    ACME_LIMITS: "none",
    ACME_HTTP_PORT: String(httpPort),
    ACME_TLS_PORT: String(httpsPort),
  });
  const service = { url: server.url, key: data.key };
  return withServers([server, ca.server, resolver.server, authority.server], async () => {
    const before = { cpu: cpuSeconds(server.pid), asked: await authority.queries() };
    const askedResolver = await resolver.queries();
    const { reached, count } = await addAll(service, data, customers);
    const cpu = cpuSeconds(server.pid) - before.cpu;
    const queries = (await authority.queries()) - before.asked;
    const recursive = (await resolver.queries()) - askedResolver;
    const all = reached.get(1);
    return section(
      `Custom domains: ${whole(domains)} of ${slugs.length} projects, from added to live`,
      `All domains are added together, each in a separate zone. BIND serves the zones and resolves names, and Pebble issues the certificates, both on the same cores. The CA's limits are off.`,
      [
        ["figure", "value", "target"],
        ["live within 10 minutes", whole(count), ""],
        ["half of them live", time(reached.get(0.5)), ""],
        ["99 % live", time(reached.get(0.99)), ""],
        ["all live", time(all), atMost((all ?? Number.POSITIVE_INFINITY) / 60, MINUTES, " minutes")],
        [
          "queries to the zones' servers per domain, including the resolver's and the CA's",
          (queries / domains).toFixed(1),
          "",
        ],
        ["queries to the resolver per domain, including the CA's", (recursive / domains).toFixed(1), ""],
        ["CPU of the server per domain", `${((cpu / domains) * 1000).toFixed(0)} ms`, ""],
        ["peak memory of the server", megabytes(peakMemory(server.pid)), ""],
      ],
    );
  });
};
