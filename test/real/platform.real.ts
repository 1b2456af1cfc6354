import { expect } from "bun:test";
import { TARGETS, zonesOf } from "../platform/dns-checks/cases.ts";
import { freePort } from "./authorities.ts";
import { freeServers, NEEDED, namesOf, nameServers, SILENT_ADDRESS } from "./dns-servers.ts";
import { directory, real, serve, store, until } from "./support.ts";

const test = real(...NEEDED);

const ZONE = ["apps.test NS ns.apps.test", "ns.apps.test A 127.0.0.1"];
const WILDCARD = "*.apps.test A 127.0.0.1";

interface Finding {
  check: string;
  level: string;
  detail: string;
}

test("doctor and status tell the operator of a wildcard that is missing, until it is there", async () => {
  const place = directory();
  const servers = await freeServers();
  const atWork = await nameServers({ ...zonesOf(TARGETS, SILENT_ADDRESS), "apps.test": ZONE }, servers);
  const [http, https] = [String(freePort()), String(freePort())];
  const env = {
    PLATFORM_DOMAIN: "apps.test",
    DNS_RESOLVERS: namesOf(servers).resolver,
    DNS_PORT: String(servers.authority.port),
    DNS_PRIVATE: "yes",
    HTTP_PORT: http,
    HTTPS_PORT: https,
    ACME_HTTP_PORT: http,
    ACME_TLS_PORT: https,
  };
  const begin = () => serve({ cwd: place, env });
  const run = async (name: string) => JSON.parse((await store([name, "--json"], { cwd: place })).stdout);
  const platform = async () => ((await run("doctor")) as Finding[]).find(({ check }) => check === "platform");
  const warnings = async () =>
    ((await run("status")) as { warnings: string[] }).warnings.filter((text) =>
      text.includes("custom domains"),
    );

  const first = await begin();
  await until("status warns", async () => (await warnings()).length > 0);
  expect(await warnings()).toEqual([expect.stringContaining("*.apps.test is missing")]);
  expect(await platform()).toMatchObject({
    level: "warning",
    detail: expect.stringContaining("*.apps.test"),
  });
  const metrics = await (await first.call("/metrics")).text();
  expect(metrics).toContain('platform_faults{part="wildcard"} 1');

  atWork.change({ "apps.test": [...ZONE, WILDCARD] });
  await until("doctor is content", async () => (await platform())?.level === "ok");
  expect((await platform())?.detail).toMatch(new RegExp(`port ${https} at .+ reaches this service`));
  await first.stop();
  await using _ = await begin();
  await until("status is content", async () => (await warnings()).length === 0);
});
