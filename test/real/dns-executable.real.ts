import { expect } from "bun:test";
import { connect, createServer } from "node:net";
import { adviceOn, type Finding, FINDINGS } from "../../src/platform/dns-checks/finding.ts";
import {
  casesOf,
  stageAfter,
  TARGETS,
  zonesOf,
  type Case,
  type Targets,
} from "../platform/dns-checks/cases.ts";
import { dnsServer } from "../support/dns.ts";
import { publish } from "./site.ts";
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

const test = real(...NEEDED, "pebble");
const withoutAuthority = real(...NEEDED);

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

/** A project for each target, each with a site. @returns the projects' own targets */
const publishAll = async (server: Server): Promise<Targets> => {
  const slugs = ["usual", "forbidden", "wide", "absent"] as const;
  const targets = await Promise.all(slugs.map(async (slug) => [slug, await publish(server, slug)] as const));
  return Object.fromEntries(targets) as Record<(typeof slugs)[number], string>;
};

/** Adds the domain, verifies it and reads it, as its holder does. */
const attach = async (
  server: Server,
  { typed, target = "usual" }: Pick<Case, "typed" | "target">,
): Promise<Domain> => {
  const domains = `/platform/projects/${target}/domains`;
  const added = await server.send<Domain>(domains, { hostname: typed });
  expect(added).toMatchObject({ stage: "awaiting_dns", findings: [] });
  const path = `${domains}/${added.hostname}`;
  const verified = await server.send<Domain>(`${path}/verify`);
  expect(await server.read<Domain>(path)).toEqual(verified);
  return verified;
};

/** The same for a domain whose certificate may come at any moment. */
const attachOnly = async (server: Server, typed: string): Promise<Domain> => {
  await server.send<Domain>("/platform/projects/usual/domains", { hostname: typed });
  return server.send<Domain>(`/platform/projects/usual/domains/${typed}/verify`);
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

withoutAuthority("each case goes through the executable and named to its stage and findings", async () => {
  const servers = await freeServers();
  const server = await serve({ env: settingsFor(servers) });
  const targets = await publishAll(server);
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

test("closed ports are the operator's, and the domain gets its certificate once they are forwarded", async () => {
  const place = directory();
  const closedPort = freePort();
  const { servers, env, httpPort } = await surroundings(place, usual, { askedPort: closedPort });
  const server = await serve({ cwd: place, env: { ...env, ACME_TLS_PORT: String(freePort()) } });
  const targets = await publishAll(server);
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
  expect((await server.send<Domain>(`${path}/verify`)).findings).toEqual([]);
  const isLive = async () => (await server.read<Domain>(path)).stage === "live";
  await until("the certificate is there", isLive, 60_000);
  expect([dns.questions.length > 0, resolver.questions.length > 0, forwarder.port]).toEqual([
    true,
    true,
    closedPort,
  ]);
});

test("a check of a name that no project has connects to no host of that name", async () => {
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
    server.send<{ verdict: string; findings: object[] }>("/platform/domain-checks", {
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
