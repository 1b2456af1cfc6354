import { expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publish, zone, zonesWith } from "./site.ts";
import { type Begin, surroundings, undecided, usual } from "./authorities.ts";
import { NEEDED, nameServers, namesOf } from "./dns-servers.ts";
import { isServedBy } from "./https.ts";
import { kept, directory, real, serve, type Server, store, until } from "./support.ts";

const test = real(...NEEDED, "pebble");

const WINDOW_MS = 3 * 3_600_000;

/** The projects. Each has a zone, `big.test` for example, with these names. */
const PROJECTS = { big: ["a", "b", "c", "d", "e"], small: ["z"] } as const;
type Slug = keyof typeof PROJECTS;

interface Domain {
  hostname: string;
  stage: string;
  certificate?: {
    authority?: string;
    problem?: { type: string };
    failures?: number;
    queue?: { position: number; estimatedAt: string };
  };
}

/** Where the API has the domains of a project. @param hostname one of them */
const listPath = (hostname: string): string => `/platform/projects/${hostname.split(".")[1]}/domains`;
const pathOf = (hostname: string): string => `${listPath(hostname)}/${hostname}`;

const show = async (server: Server, hostname: string) => {
  const { stage, certificate } = await server.send<Domain>(pathOf(hostname), undefined, "GET");
  return { stage, certificate };
};

/** Adds domains, whose records are right already, and requests their certificates. */
const add = async (server: Server, ...hostnames: string[]): Promise<void> => {
  for (const hostname of hostnames) {
    await server.send(listPath(hostname), { hostname });
    await server.send(`${pathOf(hostname)}/verify`);
  }
};

/** Waits until domains look like this. */
const untilShown = async (server: Server, expected: Record<string, object>): Promise<void> => {
  const shown = () => Promise.all(Object.keys(expected).map((hostname) => show(server, hostname)));
  const isSo = async () => Bun.deepMatch(Object.values(expected), await shown());
  await until("the domains are as expected", isSo).catch(async () =>
    expect(await shown()).toMatchObject(Object.values(expected)),
  );
};

const LIVE = { stage: "live" };
const queued = (position: number) => ({ stage: "verified", certificate: { queue: { position } } });
/** Waits for the CA without a failure. */
const waiting = (type: string) => ({ certificate: { problem: { type }, failures: 0 } });

/** All responses with domains of a project are complete, by the API and on the command line. */
const expectEveryResponse = async (server: Server, cwd: string, ...hostnames: string[]): Promise<void> => {
  const [first = ""] = hostnames;
  const namesIn = (list: unknown) => (list as Domain[]).map(({ hostname }) => hostname);
  const slug = first.split(".")[1] ?? "";
  for (const path of [listPath(first), "/platform/domains", `/platform/domains?project=${slug}`])
    expect(namesIn(await server.read(path))).toEqual(expect.arrayContaining(hostnames));
  for (const hostname of hostnames)
    for (const [method, path] of [
      ["GET", ""],
      ["PUT", "/primary"],
      ["POST", "/verify"],
    ] as const)
      expect(await server.send(`${pathOf(hostname)}${path}`, undefined, method)).toMatchObject({ hostname });
  const { code, stdout, stderr } = await store(["domains", "list", "--project", slug, "--json"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(namesIn(JSON.parse(stdout)).toSorted()).toEqual(hostnames);
};

/** The executable with two projects, a CA, and name servers with the right records for their domains. */
const open = async (place: string, begin: Begin = usual) => {
  const { servers, authority, env, httpPort, httpsPort } = await surroundings(place, begin);
  /** Starts the server with limits of the CAs. */
  const start = (ACME_LIMITS: string, more: Record<string, string> = {}) =>
    serve({ cwd: place, env: { ...env, ACME_LIMITS, ...more } });
  const serveZones = async (server: Server) => {
    const [big, small] = [await publish(server, "big"), await publish(server, "small")];
    const zoneOf = (slug: Slug, target: string) =>
      zone(`${slug}.test`, ...PROJECTS[slug].map((label) => `${label}.${slug}.test CNAME ${target}`));
    const zones = { ...zonesWith(big, small), ...zoneOf("big", big), ...zoneOf("small", small) };
    await nameServers(zones, servers);
  };
  const isServed = (hostname: string, { rootFile } = authority) =>
    isServedBy(httpsPort, hostname, readFileSync(rootFile, "utf8"));
  const where = { httpPort, tlsPort: httpsPort, dns: namesOf(servers).resolver };
  return { authority, where, start, serveZones, isServed };
};

test("projects take turns for the orders that a CA allows, and domains show their places in the queue", async () => {
  const place = directory();
  const { start, serveZones, isServed } = await open(place);
  const server = await start("none orders=3/3h");
  await serveZones(server);
  const begun = Date.now();
  await add(server, "a.big.test", "b.big.test", "c.big.test");
  await untilShown(server, { "a.big.test": LIVE, "b.big.test": LIVE, "c.big.test": LIVE });
  await add(server, "d.big.test", "e.big.test");
  await untilShown(server, { "d.big.test": queued(1), "e.big.test": queued(2) });
  await add(server, "z.small.test");
  await untilShown(server, {
    "z.small.test": queued(1),
    "d.big.test": queued(2),
    "e.big.test": queued(3),
  });
  const { certificate } = await show(server, "e.big.test");
  const estimated = Date.parse(certificate?.queue?.estimatedAt ?? "") - WINDOW_MS;
  expect(estimated).toBeWithin(begun, Date.now());

  await server.stop();
  // One more order.
  const restarted = await start("none orders=4/3h");
  await untilShown(restarted, {
    "z.small.test": LIVE,
    "d.big.test": queued(1),
    "e.big.test": queued(2),
  });
  expect(await isServed("z.small.test")).toBe(true);
  expect(await isServed("d.big.test")).toBe(false);
});

test("a second CA issues the certificates when the orders of the first one are used up", async () => {
  const place = directory();
  const { start, serveZones, isServed, authority: first, where } = await open(place);
  const secondPlace = join(place, "second");
  mkdirSync(secondPlace);
  const second = kept(await usual(secondPlace, where));
  const trusted = join(place, "cas.crt");
  writeFileSync(trusted, [first, second].map(({ caFile }) => readFileSync(caFile, "utf8")).join("\n"));
  const server = await start("none orders=1/3h, none orders=1/3h", {
    ACME_DIRECTORY: `${first.directory},${second.directory}`,
    ACME_CA_FILE: trusted,
  });
  await serveZones(server);
  const by = ({ directory: authority }: typeof first) => ({ ...LIVE, certificate: { authority } });
  await add(server, "a.big.test");
  await untilShown(server, { "a.big.test": by(first) });
  await add(server, "b.big.test");
  await untilShown(server, { "b.big.test": by(second) });
  await add(server, "c.big.test");
  await untilShown(server, { "c.big.test": queued(1) });
  const names = ["a.big.test", "b.big.test", "c.big.test"];
  const served = (ca: typeof first) => Promise.all(names.map((hostname) => isServed(hostname, ca)));
  expect(await served(first)).toEqual([true, false, false]);
  expect(await served(second)).toEqual([false, true, false]);
});

test("every response with a domain that waits for a limit of the CA is complete, and so are those of its project", async () => {
  const place = directory();
  const { start, serveZones } = await open(place);
  const server = await start("none orders=2/3h domain=1/7d");
  await serveZones(server);
  await add(server, "a.big.test");
  await untilShown(server, { "a.big.test": LIVE });
  await add(server, "b.big.test");
  await untilShown(server, { "b.big.test": waiting("budget") });
  await add(server, "z.small.test");
  await untilShown(server, { "z.small.test": LIVE });
  await add(server, "c.big.test");
  await untilShown(server, { "c.big.test": queued(1) });
  await expectEveryResponse(server, place, "a.big.test", "b.big.test", "c.big.test");
  await expectEveryResponse(server, place, "z.small.test");
});

test("every response with a domain whose CA has not decided is complete, and so are those of its project", async () => {
  const place = directory();
  const { start, serveZones } = await open(place, undecided);
  const server = await start("none");
  await serveZones(server);
  await add(server, "a.big.test");
  await untilShown(server, { "a.big.test": waiting("undecided") });
  await server.send(listPath("b.big.test"), { hostname: "b.big.test" });
  await expectEveryResponse(server, place, "a.big.test", "b.big.test");
});
