import { expect, test } from "bun:test";
import { createRequestHandlers, noListeners } from "../../src/app/request-handlers.ts";
import { createServices } from "../../src/app/services.ts";
import { readConfig } from "../../src/config/config.ts";
import { OPERATOR } from "../../src/lib/actor.ts";
import { testCa } from "../protocols/tls/listeners.ts";
import { memoryCluster } from "../support/cluster.ts";
import {
  type Store,
  contextOf,
  faultOf,
  runInCommit,
  temporaryDirectory,
  testClock,
} from "../support/store.ts";
import { addSite } from "./projects.ts";

const HOST = "www.example.net";
const ADD_DOMAIN = `INSERT INTO domains (project_id, hostname, stage, role, created_at, waiting_since, findings)
  SELECT id, ?2, 'live', 'served', 0, 0, '[]' FROM projects WHERE slug = ?1`;
const HOUR_MS = 3_600_000;

/** Two nodes of a cluster, with a site under a custom domain. They share the files of sites. */
const openNodes = async ({ staleMs }: { staleMs: number }) => {
  const { engine, open } = await memoryCluster();
  const DATA_DIR = temporaryDirectory();
  const config = readConfig({ flags: {}, env: { DATA_DIR, HTTPS_PORT: "443" }, isTerminal: false });
  const node = async () => {
    const { database, cluster } = await open({ staleMs });
    const context = contextOf(database, { config, clock: testClock() });
    const services = createServices(context, { cluster, addressesOf: async () => [] });
    const { app, fetch } = createRequestHandlers(context, services, noListeners(config));
    const visit = (path = "/", host = HOST) =>
      fetch(new Request(`https://${host}${path}`, { headers: { host } }));
    return { database, services, app, visit };
  };
  const [a, b] = [await node(), await node()];
  const { secret } = await a.services.keys.create({ name: "all", scopes: ["*"] }, OPERATOR);
  const call: Store["call"] = async (method, path, { headers = {}, json, body } = {}) =>
    a.app.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${secret}`,
          ...(json !== undefined && { "content-type": "application/json" }),
        },
        ...(json !== undefined ? { body: JSON.stringify(json) } : body ? { body } : {}),
      }),
    );
  await addSite({ call } as Store, "docs");
  await runInCommit(a.database, ADD_DOMAIN, ["docs", HOST]);
  await b.database.fresh();
  const remove = () => runInCommit(a.database, "DELETE FROM domains");
  return { engine, a, b, call, remove };
};

test("a domain that one node removes is refused by the others with the next request", async () => {
  const { b, remove } = await openNodes({ staleMs: 0 });
  expect(await (await b.visit()).text()).toBe("home of docs");
  await remove();
  expect((await b.visit()).status).toBe(421);
});

test("while the engine is unreachable, sites continue until STALE_LIMIT, and the API immediately refuses reads and writes", async () => {
  const { engine, b, call } = await openNodes({ staleMs: HOUR_MS });
  engine.isAvailable = false;
  expect(await (await b.visit()).text()).toBe("home of docs");
  expect(await faultOf(await call("GET", "/v1/pets"))).toBe("503 storage_unavailable");
  const added = await call("POST", "/v1/pets", { json: { name: "Bella", categoryId: 1 } });
  expect([await faultOf(added.clone() as Response), added.headers.get("retry-after")]).toEqual([
    "503 storage_unavailable",
    "1",
  ]);
});

test("while the engine is unreachable, sites are refused after STALE_LIMIT, so that a removed domain is not served; /livez stays up", async () => {
  const { engine, b, remove } = await openNodes({ staleMs: 0 });
  await remove();
  engine.isAvailable = false;
  expect(await faultOf(await b.visit())).toBe("503 storage_unavailable");
  expect((await b.visit("/livez", "localhost")).status).toBe(200);
  engine.isAvailable = true;
  expect((await b.visit()).status).toBe(421);
});

test("while the engine is unreachable, a handshake uses the previous certificate, so that a visitor gets the page, but no content", async () => {
  const { engine, a, b, remove } = await openNodes({ staleMs: 0 });
  const { key, cert } = await testCa.issue([HOST]);
  await runInCommit(
    a.database,
    "INSERT INTO certificates (hostname, failures, created_at, key, chain, not_before, not_after, renewals) VALUES (?, 0, 0, ?, ?, 0, 4102444800000, 0)",
    [HOST, key, cert],
  );
  await b.database.fresh();
  const https = b.services.https;
  expect(https?.certificates.find(HOST)).toBeDefined();
  engine.isAvailable = false;
  await https?.certificateWatch.tick();
  expect(https?.certificates.find(HOST)).toBeDefined();
  expect(await faultOf(await b.visit())).toBe("503 storage_unavailable");
  engine.isAvailable = true;
  await remove();
  await b.database.fresh();
  expect(https?.certificates.find(HOST)).toBeUndefined();
});
