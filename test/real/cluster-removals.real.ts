import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { customNames, serveNames } from "./cluster/names.ts";
import { type Service, ask, idOf, write } from "./cluster/retrying.ts";
import { attach, createProject, deploy, domainPath, visit } from "./cluster/site.ts";
import { NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { freeServers, NEEDED as NAME_SERVERS, settingsFor } from "./dns-servers.ts";
import { directory, real, until } from "./support.ts";

const TRIES = Number(process.env["CLUSTER_TRIES"] ?? 100);
const CLIENTS = 8;
/** How long after the acknowledgement a node may still serve what was removed. */
const MAX_MS = 1000;

/** Asks until it is refused. @returns how long after now a request was begun that was not refused; 0: none was */
const acceptedFor = async (isRefused: () => Promise<boolean>): Promise<number> => {
  const begun = performance.now();
  for (let accepted = 0; ; accepted = performance.now() - begun) if (await isRefused()) return accepted;
};

/** How long the nodes at `urls` took a key that another node has revoked. */
const revokeKey = async (service: Service, urls: readonly string[], name: string): Promise<number[]> => {
  const scopes = ["pets:read"];
  const path = "/platform/keys";
  const created = await write(service, { method: "POST", path, body: { name, scopes } }, [201]);
  const statusAt = async (url: string) => {
    const call = { method: "GET", path: "/v1/pets?limit=1", key: String(created.body["secret"]) };
    return (await ask(service, url, call))?.status ?? 503;
  };
  for (const url of urls) expect(await statusAt(url)).toBe(200);
  await write(service, { method: "DELETE", path: `${path}/${idOf(created)}` }, [204]);
  return Promise.all(urls.map((url) => acceptedFor(async () => (await statusAt(url)) === 401)));
};

/** How long the nodes at `urls` served a domain that another node has removed. */
const removeDomain = async (service: Service, urls: readonly string[], name: string): Promise<number[]> => {
  await write(service, { method: "DELETE", path: domainPath(name) }, [204]);
  return Promise.all(urls.map((url) => acceptedFor(async () => (await visit(url, name)).status === 421)));
};

const describe = (what: string, times: readonly number[]): string => {
  const refused = times.filter((ms) => ms <= MAX_MS).length;
  const atOnce = times.filter((ms) => ms === 0).length;
  return `    ${what}: refused within 1 s ${refused} of ${times.length} times, ${atOnce} at the first request, ${Math.max(...times).toFixed(0)} ms at worst`;
};

real(
  `a key revoked and a domain removed on one node are refused by the others within a second, ${TRIES} of ${TRIES} times under load`,
  [...NEEDED, ...NAME_SERVERS],
  async () => {
    using place = directory();
    const servers = await freeServers();
    await using cluster = await threeNodes(place.path, { envOf: () => settingsFor(servers) });
    const { service, nodes } = cluster;
    const [a, ...others] = nodes;
    const names = customNames(TRIES);
    const target = await createProject(service);
    await deploy(service, a.url, { "index.html": "<h1>Site</h1>" });
    await using _ = await serveNames(place.path, servers, names, target);
    await attach(service, names);
    const urls = others.map(({ url }) => url);
    for (const name of names)
      for (const url of urls)
        await until(`${url} serves ${name}`, async () => (await visit(url, name)).status === 200);

    const clients = startClients(service, CLIENTS);
    const here = { ...service, urls: [a.url] };
    const keys: number[] = [];
    const domains: number[] = [];
    for (const name of names) {
      keys.push(...(await revokeKey(here, urls, name)));
      domains.push(...(await removeDomain(here, urls, name)));
    }
    await clients.end();
    console.log([describe("keys", keys), describe("domains", domains)].join("\n"));
    expect(service.ledger.surprises).toEqual([]);
    expect(Math.max(...keys, ...domains)).toBeLessThanOrEqual(MAX_MS);
  },
  600_000,
);
