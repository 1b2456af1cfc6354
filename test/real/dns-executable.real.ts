import { expect } from "bun:test";
import { connect, createServer } from "node:net";
import { adviceOn, type Finding, FINDINGS } from "../../src/platform/dns-checks/finding.ts";
import { formatServer } from "../../src/lib/name-server.ts";
import { tarGzOf } from "../platform/deploys/archives.ts";
import {
  casesOf,
  stageAfter,
  TARGETS,
  zonesOf,
  type Case,
  type Targets,
} from "../platform/dns-checks/cases.ts";
import { dnsServer, failing } from "../support/dns.ts";
import {
  freeServers,
  NEEDED,
  namesOf,
  nameServers,
  settingsFor,
  SILENT_ADDRESS,
  withMostSeconds,
} from "./dns-servers.ts";
import { freePort, surroundings, usual } from "./authorities.ts";
import { directory, real, serve, type Server, until } from "./support.ts";

const test = real();

/** What a response adds to a stored finding. */
interface Advice {
  title: string;
  isHint: boolean;
  message: string;
  responsible: string;
  since?: string;
  changes: object[];
}

interface Domain {
  hostname: string;
  stage: string;
  findings: (Finding & Advice)[];
  trace?: { zone?: string; questions: { transport: string }[] };
}

const send = async <Value>(server: Server, method: string, path: string, body?: unknown): Promise<Value> => {
  const answer = await server.call(path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Value;
};

/** A project for each target, each with a site. @returns the projects' own targets */
const publish = async (server: Server): Promise<Targets> => {
  const site = tarGzOf([{ name: "index.html", content: "<!doctype html><title>Docs</title>" }]);
  const publishOne = async (slug: string) => {
    const plan = "pro";
    const { target } = await send<{ target: string }>(server, "POST", "/platform/projects", {
      slug,
      name: slug,
      plan,
    });
    const headers = { "content-type": "application/gzip" };
    const deployed = await server.call(`/platform/projects/${slug}/deploys`, {
      method: "POST",
      headers,
      body: site,
    });
    expect(await deployed.json()).toMatchObject({ status: "succeeded" });
    return target;
  };
  const slugs = ["usual", "forbidden", "wide", "absent"] as const;
  const targets = await Promise.all(slugs.map(async (slug) => [slug, await publishOne(slug)] as const));
  return Object.fromEntries(targets) as Record<(typeof slugs)[number], string>;
};

/** Adds the domain, verifies it and reads it, as its holder does. */
const attach = async (
  server: Server,
  { typed, target = "usual" }: Pick<Case, "typed" | "target">,
): Promise<Domain> => {
  const domains = `/platform/projects/${target}/domains`;
  const added = await send<Domain>(server, "POST", domains, { hostname: typed });
  expect(added).toMatchObject({ stage: "awaiting_dns", findings: [] });
  const path = `${domains}/${added.hostname}`;
  const verified = await send<Domain>(server, "POST", `${path}/verify`);
  expect(await send<Domain>(server, "GET", path)).toEqual(verified);
  return verified;
};

/** The same for a domain whose certificate may come at any moment. */
const attachOnly = async (server: Server, typed: string): Promise<Domain> => {
  await send<Domain>(server, "POST", "/platform/projects/usual/domains", { hostname: typed });
  return send<Domain>(server, "POST", `/platform/projects/usual/domains/${typed}/verify`);
};

/** Passes what comes at one port on to another. */
const forwardPort = (from: number, to: number) => {
  const server = createServer((client) => {
    const onward = connect(to, "127.0.0.1");
    for (const socket of [client, onward]) socket.on("error", () => socket.destroy());
    client.pipe(onward).pipe(client);
  }).listen(from, "127.0.0.1");
  return { port: from, [Symbol.dispose]: () => void server.close() };
};

/** A finding with the fault, the responsible party and the start, but without its texts and its changes. */
const withoutWords = (found: Domain["findings"][number]): Finding => {
  const { message, title, isHint, changes, responsible, since, ...rest } = found;
  // Present only from the second check on.
  if (since !== undefined) expect(rest.kind).toBe("unreachable");
  const isUsual = responsible === FINDINGS[rest.kind].responsible;
  const finding = { ...rest, ...(!isUsual && { responsible }) } as Finding;
  const texts = adviceOn({ ...finding, ...(since !== undefined && { since }) });
  // The title of a domain that is live can differ, and its hint.
  expect(message).toBe(texts.message);
  if (rest.kind !== "not_moved")
    expect({ title, isHint }).toEqual({ title: texts.title, isHint: texts.isHint });
  expect(changes).toBeArray();
  return finding;
};

const visit = async ({ url }: Server, hostname: string): Promise<number> => {
  const answer = await fetch(url, { headers: { host: hostname }, redirect: "manual" });
  await answer.arrayBuffer();
  return answer.status;
};

real(...NEEDED)("each case goes through the executable and named to its stage and findings", async () => {
  const servers = await freeServers();
  const server = await serve({ env: settingsFor(servers) });
  const targets = await publish(server);
  await nameServers(zonesOf(targets, SILENT_ADDRESS), servers);
  // A server without HTTPS orders nothing itself, so that CAA records may allow any method.
  const cases = casesOf(targets, namesOf(servers), ["http-01", "tls-alpn-01", "dns-01"]);
  const see = async (row: Case) => {
    const { hostname, stage, findings, trace } = await attach(server, row);
    return {
      name: row.name,
      stage,
      findings: withMostSeconds(findings.map(withoutWords), row.findings),
      ...(row.zone !== undefined && { zone: trace?.zone }),
      isOverTcp: trace?.questions.some(({ transport }) => transport === "tcp"),
      visited: await visit(server, hostname),
    };
  };
  expect(await Promise.all(cases.map(see))).toEqual(
    cases.map((row) => ({
      name: row.name,
      stage: stageAfter(row),
      findings: row.findings,
      ...(row.zone !== undefined && { zone: row.zone }),
      isOverTcp: row.transport === "tcp",
      visited: stageAfter(row) === "live" ? 200 : 503,
    })),
  );
});

test("a DNSSEC failure that a resolver explains is the DNS provider's, and ends with the repair", async () => {
  using authority = await dnsServer({ zones: {} });
  using resolver = await dnsServer({ zones: {}, cache: { zones: {}, names: [] } });
  const env = settingsFor({ authority: authority.server, resolver: resolver.server });
  const server = await serve({ env });
  const targets = await publish(server);
  for (const { zones } of [authority, resolver]) Object.assign(zones, zonesOf(targets));
  resolver.behaviours.set("right.example.test", failing(7, "RRSIG expired"));
  const { stage, findings } = await attach(server, { typed: "right.example.test" });
  const at = formatServer(resolver.server);
  expect({ stage, findings }).toEqual({
    stage: "awaiting_dns",
    findings: [
      {
        kind: "dnssec_failure",
        name: "example.test",
        server: at,
        reason: "a signature has expired: RRSIG expired",
        message: `${at} rejects the records of example.test because DNSSEC validation fails (a signature has expired: RRSIG expired). Ask the DNS provider to sign the zone again.`,
        responsible: "dns_provider",
        isHint: false,
        title: `${at} rejects the records of example.test because DNSSEC validation fails (a signature has expired: RRSIG expired)`,
        changes: [],
      },
    ],
  });
  resolver.behaviours.delete("right.example.test");
  const path = "/platform/projects/usual/domains/right.example.test/verify";
  expect(await send<Domain>(server, "POST", path)).toMatchObject({ stage: "live", findings: [] });
});

test("a zone's servers at private addresses are asked only if DNS_PRIVATE says so", async () => {
  using authority = await dnsServer({ zones: {} });
  using resolver = await dnsServer({ zones: {}, cache: { zones: {}, names: [] } });
  const { DNS_PRIVATE: _, ...env } = settingsFor({ authority: authority.server, resolver: resolver.server });
  const server = await serve({ env });
  const targets = await publish(server);
  for (const { zones } of [authority, resolver]) Object.assign(zones, zonesOf(targets));
  const { stage, findings, trace } = await attach(server, { typed: "right.example.test" });
  expect({ stage, findings }).toMatchObject({
    stage: "live",
    findings: [
      {
        kind: "unreachable",
        server: formatServer(authority.server),
        reason: expect.stringMatching(/^forbidden /),
      },
    ],
  });
  expect(trace?.zone).toBe("example.test");
  expect(authority.questions).toEqual([]);
});

test("an apex with the former addresses of the service gets the new ones, and stays live with them", async () => {
  using authority = await dnsServer({ zones: {} });
  using resolver = await dnsServer({ zones: {}, cache: { zones: {}, names: [] } });
  const env = settingsFor({ authority: authority.server, resolver: resolver.server });
  const server = await serve({ env });
  const targets = await publish(server);
  const publishAt = (service: string, apex: string) => {
    const zones = {
      ...zonesOf(targets),
      "pages.test": [
        "pages.test NS ns.pages.test",
        "ns.pages.test A 127.0.0.1",
        `${targets.usual} A ${service}`,
      ],
      "flat.test": [
        "flat.test NS ns.flat.test",
        "ns.flat.test A 127.0.0.1",
        `flat.test A ${apex}`,
        `_adoption-store.flat.test TXT ${targets.usual}`,
      ],
    };
    for (const one of [authority, resolver]) Object.assign(one.zones, zones);
  };
  publishAt("192.0.2.80", "192.0.2.80");
  expect(await attach(server, { typed: "flat.test" })).toMatchObject({ stage: "live", findings: [] });
  const verify = () => send<Domain>(server, "POST", "/platform/projects/usual/domains/flat.test/verify");
  publishAt("192.0.2.90", "192.0.2.80");
  const { stage, findings } = await verify();
  expect({ stage, findings }).toEqual({
    stage: "live",
    findings: [
      {
        kind: "addresses_changed",
        name: "flat.test",
        found: ["192.0.2.80"],
        expected: ["192.0.2.90"],
        message:
          "The addresses of this service have changed: flat.test still has 192.0.2.80. Change its A and AAAA records to 192.0.2.90. An ALIAS record needs no change.",
        responsible: "holder",
        isHint: false,
        title: "The addresses of this service have changed",
        changes: [
          { action: "delete", type: "A", name: "@", fullName: "flat.test", found: ["192.0.2.80"] },
          { action: "create", type: "A", name: "@", fullName: "flat.test", value: "192.0.2.90" },
        ],
      },
    ],
  });
  publishAt("192.0.2.90", "192.0.2.90");
  expect(await verify()).toMatchObject({ stage: "live", findings: [] });
});

real(...NEEDED, "pebble")(
  "closed ports are the operator's, and the domain gets its certificate once they are forwarded",
  async () => {
    const place = directory();
    const closedPort = freePort();
    const { servers, env, httpPort } = await surroundings(place, usual, {
      askedPort: closedPort,
    });
    const server = await serve({ cwd: place, env: { ...env, ACME_TLS_PORT: String(freePort()) } });
    const targets = await publish(server);
    const zones = {
      ...zonesOf(targets),
      "pages.test": [
        "pages.test NS ns.pages.test",
        "ns.pages.test A 127.0.0.1",
        `${targets.usual} A 127.0.0.1`,
      ],
    };
    using dns = await dnsServer({ zones, ...servers.authority });
    using resolver = await dnsServer({ zones, cache: { zones: {}, names: [] }, ...servers.resolver });
    const seen: unknown = (await attachOnly(server, "docs.sub.example.test")).findings;
    expect(seen).toEqual([
      {
        kind: "platform_unready",
        name: targets.usual,
        reason: expect.stringMatching(/^cannot be reached \(http:\/\/.* cannot be fetched at 127\.0\.0\.1: /),
        message: expect.stringContaining(
          "Its operator must correct this; the domain's records are not the cause.",
        ),
        responsible: "operator",
        isHint: false,
        title: "This service is not ready for custom domains",
        changes: [],
      },
    ]);
    // The operator forwards the port.
    using forwarder = forwardPort(closedPort, httpPort);
    const path = "/platform/projects/usual/domains/docs.sub.example.test";
    expect((await send<Domain>(server, "POST", `${path}/verify`)).findings).toEqual([]);
    const isLive = async () => (await send<Domain>(server, "GET", path)).stage === "live";
    await until("the certificate is there", isLive, 60_000);
    expect([dns.questions.length > 0, resolver.questions.length > 0, forwarder.port]).toEqual([
      true,
      true,
      closedPort,
    ]);
  },
);

real(...NEEDED, "pebble")("a check of a name that no project has connects to no host behind it", async () => {
  const place = directory();
  const { servers, env } = await surroundings(place, usual, { askedPort: freePort() });
  const server = await serve({ cwd: place, env });
  const zones = {
    ...zonesOf(TARGETS),
    "victim.test": [
      "victim.test NS ns.victim.test",
      "ns.victim.test A 127.0.0.1",
      "any.victim.test A 127.0.0.1",
    ],
    "holder.test": [
      "holder.test NS ns.holder.test",
      "ns.holder.test A 127.0.0.1",
      "docs.holder.test CNAME any.victim.test",
    ],
  };
  using dns = await dnsServer({ zones, ...servers.authority });
  using resolver = await dnsServer({ zones, cache: { zones: {}, names: [] }, ...servers.resolver });
  let connections = 0;
  using victim = Bun.listen({
    hostname: "127.0.0.1",
    port: Number(env.ACME_HTTP_PORT),
    socket: { open: () => void (connections += 1), data: () => {} },
  });
  const check = (hostname: string, target: string) =>
    send<{ verdict: string; findings: object[] }>(server, "POST", "/platform/domain-checks", {
      hostname,
      target,
    });
  expect(await check("docs.holder.test", "any.victim.test")).toMatchObject({
    verdict: "right",
    findings: [],
  });
  const [proxied] = (await check("docs.proxied.test", "any.victim.test")).findings;
  expect(proxied).toMatchObject({ kind: "proxied" });
  expect(proxied).not.toHaveProperty("reachesService");
  expect([connections, dns.questions.length > 0, resolver.questions.length > 0]).toEqual([0, true, true]);
  expect(victim.port).toBe(Number(env.ACME_HTTP_PORT));
});
