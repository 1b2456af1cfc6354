import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { formatServer, type Finding } from "../../src/domains/finding.ts";
import { tarGzOf } from "../deploys/archives.ts";
import { casesOf, ISSUER, stageAfter, zonesOf, type Case, type Targets } from "../domains/cases.ts";
import { dnsServer } from "../support/dns.ts";
import { freeServers, NEEDED, namesOf, nameServers, SILENT_ADDRESS, withMostSeconds } from "./dns-servers.ts";
import { directory, real, serve, type Server } from "./support.ts";

interface Domain {
  hostname: string;
  stage: string;
  findings: (Finding & { message: string })[];
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
  const [usual, forbidden, wide] = await Promise.all(["usual", "forbidden", "wide"].map(publishOne));
  return { usual: usual ?? "", forbidden: forbidden ?? "", wide: wide ?? "" };
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

const visit = async ({ url }: Server, hostname: string): Promise<number> => {
  const answer = await fetch(url, { headers: { host: hostname }, redirect: "manual" });
  await answer.arrayBuffer();
  return answer.status;
};

real("each case goes through the executable and named to its stage and findings", NEEDED, async () => {
  using place = directory();
  const servers = await freeServers();
  const env = {
    DNS_RESOLVERS: namesOf(servers).resolver,
    DNS_PORT: String(servers.authority.port),
    DNS_PRIVATE: "yes",
    CAA_ISSUERS: ISSUER,
    PLATFORM_CNAME_TARGET: "pages.test",
  };
  await using server = await serve({ cwd: place.path, env });
  const targets = await publish(server);
  const dns = join(place.path, "dns");
  mkdirSync(dns);
  await using _ = await nameServers(dns, zonesOf(targets, SILENT_ADDRESS), servers);
  const cases = casesOf(targets, namesOf(servers));
  const see = async (row: Case) => {
    const { hostname, stage, findings, trace } = await attach(server, row);
    return {
      name: row.name,
      stage,
      findings: withMostSeconds(findings, row.findings).map(({ message, ...finding }) => {
        expect(message).toContain(finding.name);
        return finding;
      }),
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
      visited: stageAfter(row) === "live" ? 200 : 421,
    })),
  );
});

real("a zone's servers at private addresses are asked only if DNS_PRIVATE says so", [], async () => {
  using place = directory();
  using authority = await dnsServer({ zones: {} });
  using resolver = await dnsServer({ zones: {}, cache: { zones: {}, names: [] } });
  const env = {
    DNS_RESOLVERS: formatServer(resolver.server),
    DNS_PORT: String(authority.server.port),
    CAA_ISSUERS: ISSUER,
    PLATFORM_CNAME_TARGET: "pages.test",
  };
  await using server = await serve({ cwd: place.path, env });
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
