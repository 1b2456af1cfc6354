import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { customNames, serveNames } from "./cluster/names.ts";
import { type Service, ask, idOf, write } from "./cluster/retrying.ts";
import { attach, createProject, deploy, domainPath, visit } from "./cluster/site.ts";
import { NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { freeServers, NEEDED as NAME_SERVERS, settingsFor } from "./dns-servers.ts";
import { real, until } from "./support.ts";

const test = real(...NEEDED, ...NAME_SERVERS);

const TRIES = Number(process.env["CLUSTER_TRIES"] ?? 100);
const CLIENTS = 8;
/** How long after the acknowledgement a node may still serve what was removed. */
const MAX_MS = 1000;

type Answer = "served" | "refused" | "none";

/** Asks until it is refused. @returns how long after now a request was begun that was served; undefined: none was */
const servedFor = async (ask: () => Promise<Answer>): Promise<number | undefined> => {
  const begun = performance.now();
  let last: number | undefined;
  for (;;) {
    const at = performance.now() - begun;
    const answer = await ask();
    if (answer === "refused") return last;
    if (answer === "served") last = at;
  }
};

/** A node that is too busy to answer serves nothing. */
const answerOf = (status: number, refusal: number): Answer => {
  if (status === refusal) return "refused";
  return status === 200 ? "served" : "none";
};

/** How long the nodes at `urls` took a key that another node has revoked. */
const revokeKey = async (
  service: Service,
  urls: readonly string[],
  name: string,
): Promise<(number | undefined)[]> => {
  const scopes = ["pets:read"];
  const path = "/platform/keys";
  const created = await write(service, { method: "POST", path, body: { name, scopes } }, [201]);
  const statusAt = async (url: string) => {
    const call = { method: "GET", path: "/v1/pets?limit=1", key: String(created.body["secret"]) };
    return (await ask(service, url, call))?.status ?? 503;
  };
  for (const url of urls) expect(await statusAt(url)).toBe(200);
  await write(service, { method: "DELETE", path: `${path}/${idOf(created)}` }, [204]);
  return Promise.all(urls.map((url) => servedFor(async () => answerOf(await statusAt(url), 401))));
};

/** How long the nodes at `urls` served a domain that another node has removed. */
const removeDomain = async (
  service: Service,
  urls: readonly string[],
  name: string,
): Promise<(number | undefined)[]> => {
  await write(service, { method: "DELETE", path: domainPath(name) }, [204]);
  return Promise.all(
    urls.map((url) => servedFor(async () => answerOf((await visit(url, name)).status, 421))),
  );
};

/** The longest time; 0 if nothing was served. */
const longest = (times: readonly (number | undefined)[]): number => Math.max(...times.map((ms) => ms ?? 0));

const describe = (what: string, times: readonly (number | undefined)[]): string => {
  const inTime = times.filter((ms) => ms === undefined || ms <= MAX_MS).length;
  const atOnce = times.filter((ms) => ms === undefined).length;
  return `    ${what}: refused within 1 s ${inTime} of ${times.length} times, ${atOnce} of them immediately, the others after ${longest(times).toFixed(0)} ms at most`;
};

test(`a key revoked and a domain removed on one node are refused by the others within a second, ${TRIES} of ${TRIES} times under load`, async () => {
  const servers = await freeServers();
  const cluster = await threeNodes({ envOf: () => settingsFor(servers) });
  const { service, nodes } = cluster;
  const [a, ...others] = nodes;
  const names = customNames(TRIES);
  const target = await createProject(service);
  await deploy(service, a.url, { "index.html": "<h1>Site</h1>" });
  await serveNames(servers, names, target);
  await attach(service, names);
  const urls = others.map(({ url }) => url);
  for (const name of names)
    for (const url of urls)
      await until(`${url} serves ${name}`, async () => (await visit(url, name)).status === 200);

  const clients = startClients(service, CLIENTS);
  const here = { ...service, urls: [a.url] };
  const keys: (number | undefined)[] = [];
  const domains: (number | undefined)[] = [];
  for (const name of names) {
    keys.push(...(await revokeKey(here, urls, name)));
    domains.push(...(await removeDomain(here, urls, name)));
  }
  await clients.end();
  console.log([describe("keys", keys), describe("domains", domains)].join("\n"));
  expect(service.ledger.surprises).toEqual([]);
  expect(longest([...keys, ...domains])).toBeLessThanOrEqual(MAX_MS);
}, 600_000);
