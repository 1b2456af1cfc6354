import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Begin, freePort, sleepy, surroundings, usual } from "./authorities.ts";
import { certificateNode } from "./cluster/work.ts";
import { customNames, serveNames } from "./cluster/names.ts";
import type { Node } from "./cluster/nodes.ts";
import { relay } from "./cluster/relay.ts";
import { attach, createProject, deploy } from "./cluster/site.ts";
import { NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { NEEDED as NAME_SERVERS } from "./dns-servers.ts";
import { kept, directory, real, run, until } from "./support.ts";

const NAMES = Number(process.env["CLUSTER_NAMES"] ?? 50);
const PROGRAMS = [...NEEDED, ...NAME_SERVERS, "pebble", "curl"];

const test = real(...PROGRAMS);
const PAGE = "<h1>Site</h1>";
const HOST = "127.0.0.1";

interface Ports {
  http: number;
  https: number;
}

/** Three nodes with HTTPS, and a CA whose challenges reach the node that `challenged` says. */
const opened = async (
  place: string,
  begin: Begin,
  names: readonly string[],
  { isHttpClosed = false } = {},
) => {
  const asked = freePort();
  const { servers, authority, env, httpsPort } = await surroundings(place, begin, {
    askedPort: asked,
  });
  const portsOf: Record<string, Ports> = {};
  const envOf = (name: string) => {
    const ports = (portsOf[name] ??= { http: freePort(), https: freePort() });
    return { ...env, HTTP_PORT: String(ports.http), HTTPS_PORT: String(ports.https) };
  };
  const cluster = await threeNodes({ envOf });
  const { service, nodes } = cluster;
  const ports = nodes.map((node) => portsOf[node.place.slice(-1)] as Ports);
  let challenged = 0;
  const at = (kind: keyof Ports) => () => ({ host: HOST, port: ports[challenged]?.[kind] ?? 0 });
  if (!isHttpClosed) kept(await relay({ host: HOST, port: asked }, at("http")));
  kept(await relay({ host: HOST, port: httpsPort }, at("https")));
  const target = await createProject(service);
  await deploy(service, nodes[0].url, { "index.html": PAGE });
  await serveNames(servers, names, target);
  return {
    ...cluster,
    /** Sends the CA's challenges to this node from now on. */
    challenge: (node: Node) => void (challenged = nodes.indexOf(node)),
    /** What a visitor gets from a node over HTTPS. */
    async visit(node: Node, name: string): Promise<string> {
      const port = ports[nodes.indexOf(node)]?.https ?? 0;
      const trust = ["--cacert", authority.rootFile, "--resolve", `${name}:${port}:${HOST}`];
      const argv = ["curl", "--silent", "--max-time", "5", ...trust, `https://${name}:${port}/`];
      return (await run(argv)).stdout;
    },
    /** What the CA has logged. */
    log: () => readFileSync(join(place, "pebble.log"), "utf8"),
  };
};

/** Orders that the CA has, and those of them that it has not validated yet. */
const ordersIn = (log: string) => {
  const count = (text: string) => log.split(text).length - 1;
  const placed = count('Added order "');
  return { placed, open: placed - count("set VALID by completed challenge") };
};

/** How long the CA must have been sent no order, so that none is being placed by what is killed. */
const QUIET_MS = 1000;

/** Waits until orders are open and none has been placed for a moment. */
const untilMidOrder = async (log: () => string): Promise<void> => {
  let [placed, since] = [0, performance.now()];
  const isMidOrder = () => {
    const orders = ordersIn(log());
    if (orders.placed !== placed) [placed, since] = [orders.placed, performance.now()];
    return orders.open > 0 && performance.now() - since > QUIET_MS;
  };
  await until("orders are open", isMidOrder, 60_000);
};

type Room = Awaited<ReturnType<typeof opened>>;

/** Waits until every node serves every name with a certificate of the CA. */
const untilServed = async ({ nodes, visit }: Room, names: readonly string[]): Promise<void> => {
  for (const name of names)
    for (const node of nodes) {
      const isServed = async () => (await visit(node, name)) === PAGE;
      await until(`${node.place} serves ${name}`, isServed, 120_000);
    }
};

test(`${NAMES} names on three nodes take ${NAMES} orders, though the node that orders is killed, and another one answers the challenges`, async () => {
  const place = directory();
  const names = customNames(NAMES);
  const room = await opened(place, sleepy, names);
  const { nodes, etcd } = room;
  const holder = await certificateNode(etcd, nodes);
  const others = nodes.filter((node) => node !== holder);
  room.challenge(others[0] ?? holder);
  const begun = performance.now();
  const attaching = attach(room.service, names);
  await untilMidOrder(room.log);
  const atKill = ordersIn(room.log());
  await holder.kill();
  await attaching;
  const other = await certificateNode(etcd, others);
  room.challenge(others.find((node) => node !== other) ?? other);
  await holder.start();
  await untilServed(room, names);
  const seconds = (performance.now() - begun) / 1000;
  const { placed } = ordersIn(room.log());
  console.log(
    `    ${NAMES} names: ${placed} orders, ${atKill.open} of them open when the node that ordered was killed; all served by all nodes after ${seconds.toFixed(0)} s`,
  );
  expect(placed).toBe(NAMES);
}, 400_000);

test("where port 80 is closed, a node that did not order answers the challenges in the TLS handshake", async () => {
  const place = directory();
  const names = customNames(5);
  const room = await opened(place, usual, names, { isHttpClosed: true });
  const { nodes, etcd } = room;
  const holder = await certificateNode(etcd, nodes);
  room.challenge(nodes.find((node) => node !== holder) ?? holder);
  await attach(room.service, names);
  await untilServed(room, names);
  expect(await certificateNode(etcd, nodes)).toBe(holder);
}, 400_000);
