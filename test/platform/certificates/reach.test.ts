import { expect, test } from "bun:test";
import type { DomainFinding } from "../../../src/platform/dns-checks/finding.ts";
import { reachingInspector } from "../../../src/platform/dns-checks/inspect.ts";
import { hostnameOf } from "../../../src/lib/hostname.ts";
import { openFakeDns } from "../domains/projects.ts";
import { atEnd } from "../../support/store.ts";
import { openIssuing } from "./issuing.ts";

const NAME = "docs.example.org";
const PROXIED: DomainFinding = {
  kind: "proxied",
  name: NAME,
  found: ["127.0.0.1"],
  expected: ["t1.pages.test"],
  provider: "Cloudflare",
};

/** The service with a proxy on loopback before it, which may lead elsewhere. */
const openProxied = async () => {
  let forward: (request: Request) => Response | Promise<Response> = () => new Response("elsewhere");
  const proxy = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => forward(request) });
  atEnd(() => proxy.stop(true));
  const room = await openIssuing(
    {},
    { env: { DNS_PRIVATE: "yes", ACME_HTTP_PORT: String(proxy.port), ACME_TLS_PORT: "1" } },
  );
  room.fakeDns.outcome = "records_wrong";
  room.fakeDns.findings = [PROXIED];
  await room.add(NAME);
  const check = async () => (await (await room.verify(NAME)).json()) as { findings: { message: string }[] };
  const leadHere = () => {
    forward = ({ url, headers }) =>
      room.store.fetch(new Request(url.replace(/127\.0\.0\.1:\d+/, NAME), { headers }));
  };
  return { ...room, check, leadHere };
};

test("the finding of a proxied name shows whether the proxy reaches this service", async () => {
  const { check, leadHere } = await openProxied();
  const elsewhere = await check();
  expect(elsewhere).toMatchObject({
    stage: "dns_conflict",
    findings: [{ kind: "proxied", responsible: "proxy", reachesService: false }],
  });
  expect(elsewhere.findings[0]?.message).toContain("Requests through the proxy do not reach this service.");
  leadHere();
  const here = await check();
  expect(here).toMatchObject({ stage: "dns_conflict", findings: [{ reachesService: true }] });
  expect(here.findings[0]?.message).toContain("so the record behind it seems right");
});

const reach = async (addresses: string[], options: { isServed?: boolean } = {}, obstacle?: string) => {
  const { inspect, fakeDns } = openFakeDns("records_right");
  fakeDns.addresses = addresses;
  const tried: string[][] = [];
  const reaching = reachingInspector(inspect, async (_, at) => {
    tried.push([...at]);
    return obstacle;
  });
  const { event, findings } = await reaching(hostnameOf(NAME), "t1.pages.test", {
    isUrgent: () => false,
    needsProof: true,
    ...options,
  });
  return { event, findings, tried };
};

test("closed ports are the operator's fault, and change nothing for a domain with right records", async () => {
  expect(await reach(["192.0.2.80"], {}, "Port 80 is closed.")).toEqual({
    event: "records_right",
    findings: [
      { kind: "platform_unready", name: "t1.pages.test", reason: "cannot be reached (Port 80 is closed)" },
    ],
    tried: [["192.0.2.80"]],
  });
});

test("only a name with addresses that is not served yet is tested for reachability", async () => {
  expect(await reach(["192.0.2.80"])).toMatchObject({ findings: [], tried: [["192.0.2.80"]] });
  expect(await reach(["192.0.2.80"], { isServed: true }, "closed")).toMatchObject({
    findings: [],
    tried: [],
  });
  expect(await reach([], {}, "closed")).toMatchObject({ findings: [], tried: [] });
});

test("a name with any number of addresses is tried at eight of them", async () => {
  const addresses = Array.from({ length: 100 }, (_, at) => `192.0.2.${at}`);
  expect((await reach(addresses)).tried).toEqual([addresses.slice(0, 8)]);
  const { inspect, fakeDns } = openFakeDns("records_wrong");
  fakeDns.findings = [{ ...PROXIED, found: addresses }];
  const tried: string[][] = [];
  const reaching = reachingInspector(inspect, async (_, at) => void tried.push([...at]));
  await reaching(hostnameOf(NAME), "t1.pages.test", { isUrgent: () => false, needsProof: true });
  expect(tried).toEqual([addresses.slice(0, 8)]);
});
