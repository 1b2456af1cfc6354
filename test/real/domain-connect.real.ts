import { createPublicKey, verify } from "node:crypto";
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordsOf } from "../../src/protocols/dns/cname-chain.ts";
import type { Server } from "../../src/lib/name-server.ts";
import { dnsProvider } from "../support/dns-provider.ts";
import { publish, zone, zonesWith } from "./site.ts";
import { openConsole } from "./console.ts";
import { violationsOf } from "./axe.ts";
import { NEEDED, client, freeServer, freeServers, nameServers, namesOf } from "./dns-servers.ts";
import { kept, directory, real, serve, store, until } from "./support.ts";

const test = real(...NEEDED);
const inBrowser = real(...NEEDED, "chromium", "playwright-core", "axe-core");

interface Wire {
  stage: string;
  domainConnect?: { provider: string; url: string };
}

interface Template {
  providerId: string;
  serviceId: string;
  syncPubKeyDomain: string;
  records: { type: string; host: string; pointsTo?: string; data?: string }[];
}

const textsOf = async (server: Server, name: string): Promise<string[]> =>
  recordsOf(await client(server, { name, type: "TXT" }, false)).map(({ data }) => data as string);

/** Verifies a request as the specification tells providers to, with the key in the DNS. */
const isSigned = async (
  { search }: URL,
  { syncPubKeyDomain }: Template,
  server: Server,
): Promise<boolean> => {
  const [, query = "", signature = "", key] = /^\?(.*)&sig=([^&]*)&key=(.*)$/.exec(search) ?? [];
  const texts = await textsOf(server, `${key}.${syncPubKeyDomain}`);
  const data = texts.toSorted().map((text) => /^p=[0-9],a=RS256,d=(.*)$/.exec(text)?.[1]);
  const publicKey = createPublicKey({
    key: Buffer.from(data.join(""), "base64"),
    format: "der",
    type: "spki",
  });
  return verify(
    "sha256",
    Buffer.from(query),
    publicKey,
    Buffer.from(decodeURIComponent(signature), "base64"),
  );
};

/** The records of a template once the holder has agreed, as lines of a zone. */
const appliedRecords = ({ records }: Template, { searchParams }: URL): string[] => {
  const name = [searchParams.get("host"), searchParams.get("domain")].filter(Boolean).join(".");
  return records.map(({ type, host, pointsTo, data = "" }) => {
    const value = (pointsTo ?? data).replaceAll(
      /%([^%]*)%/g,
      (_, variable: string) => searchParams.get(variable) ?? "",
    );
    return `${host === "@" ? name : `${host}.${name}`} ${type} ${value}`;
  });
};

/** The server asks a provider that did not respond in time again after a minute. */
const LATE_MS = 90_000;

const DOMAINS = "/platform/projects/shelter/domains";

const pathOf = (serviceId: string) => `/v2/domainTemplates/providers/shelters.test/services/${serviceId}`;

/** The server with its own name server, a project, and a provider that holds the zone `holder.test`. It ends with the scope. */
const setUp = async (path: string) => {
  const provider = kept(await dnsProvider());
  const rootFile = join(path, "root.pem");
  writeFileSync(rootFile, provider.root);
  const servers = await freeServers();
  const ours = await freeServer();
  const env = {
    NODE_EXTRA_CA_CERTS: rootFile,
    DNS_RESOLVERS: namesOf(servers).resolver,
    DNS_PORT: String(servers.authority.port),
    DNS_PRIVATE: "yes",
    BASE_URL: "https://adopt.shelters.test",
    PLATFORM_DOMAIN: "sites.test",
    PLATFORM_CNAME_TARGET: "pages.test",
    NAMESERVER: "ns1.sites.test",
    PUBLIC_ADDRESSES: "192.0.2.10",
    DNS_LISTEN_HOST: ours.address,
    DNS_LISTEN_PORT: String(ours.port),
    DOMAIN_CONNECT_PROVIDER_ID: "shelters.test",
  };
  const server = await serve({ cwd: path, env });
  const post = (way: string, json: object) => server.send<Wire>(way, json);
  const target = await publish(server, "shelter");
  const zonesOf = (lines: string[]) => ({
    ...zonesWith(target),
    ...zone("pages.test", "*.pages.test A 192.0.2.10"),
    ...zone("provider.test", "connect.provider.test A 127.0.0.1"),
    ...zone("plain.test"),
    ...zone("holder.test", `_domainconnect.holder.test TXT "${provider.authority}/dc"`, ...lines),
  });
  const names = await nameServers(zonesOf([]), servers, { isForgetful: true });
  provider.paths.set("/dc/v2/holder.test/settings", JSON.stringify(provider.settings));
  return {
    provider,
    server,
    /** The service's name server. */
    ours,
    post,
    /** Adds a domain, and returns where its records can be created. A busy server may say it only later. */
    async offerFor(hostname: string): Promise<NonNullable<Wire["domainConnect"]>> {
      let shown: Wire = await post(DOMAINS, { hostname });
      await until(
        `${hostname} can be set up`,
        async () => {
          if (!shown.domainConnect) shown = await server.read<Wire>(`${DOMAINS}/${hostname}`);
          return shown.domainConnect !== undefined;
        },
        LATE_MS,
      );
      return shown.domainConnect ?? { provider: "", url: "" };
    },
    /** Gives the provider a template, as the command prints it. */
    async submit(service: string): Promise<Template> {
      const { stdout } = await store(["domains", "template", service], { cwd: path, env });
      provider.paths.set(`/api${pathOf(service)}`, stdout);
      return JSON.parse(stdout) as Template;
    },
    /** Gives the holder's zone these records too. Resolves once a name has records of a type. */
    async change(lines: string[], name: string, type: "A" | "CNAME"): Promise<void> {
      names.change(zonesOf(lines));
      for (const one of [servers.authority, servers.resolver])
        await until(
          `${name} has its records`,
          async () => recordsOf(await client(one, { name, type }, true)).length > 0,
          LATE_MS,
        );
    },
  };
};

test("a provider that has the printed templates is offered, verifies the request by our name server, and its records go live", async () => {
  const place = directory();
  const service = await setUp(place);
  const { provider, ours, post, submit, offerFor, change } = service;
  expect(await post(DOMAINS, { hostname: "docs.plain.test" })).not.toHaveProperty("domainConnect");
  const applied: string[] = [];
  for (const [serviceId, hostname, type] of [
    ["subdomain", "docs.holder.test", "CNAME"],
    ["apex", "holder.test", "A"],
  ] as const) {
    const template = await submit(serviceId);
    const offered = await offerFor(hostname);
    expect(offered.provider).toBe("The Provider");
    const url = new URL(offered.url);
    expect(url.href).toStartWith(`${provider.settings.urlSyncUX}${pathOf(serviceId)}/apply?`);
    expect(url.searchParams.get("redirect_uri")).toBe(
      `https://adopt.shelters.test/console/projects/shelter/domains/${hostname}`,
    );
    expect(await isSigned(url, template, ours)).toBe(true);
    applied.push(...appliedRecords(template, url));
    await change(applied, hostname, type);
    expect(await post(`${DOMAINS}/${hostname}/verify`, {})).toMatchObject({ stage: "live", findings: [] });
  }
});

inBrowser(
  "the console leads to the provider from the page of a domain and from a check, and names its host",
  async () => {
    const place = directory();
    const service = await setUp(place);
    const { provider, server, submit, offerFor } = service;
    await submit("subdomain");
    await offerFor("docs.holder.test");
    const { page } = await openConsole(server, "/projects/shelter/domains/docs.holder.test");
    const link = page.getByRole("link", { name: "Set up at The Provider" });
    await link.waitFor();
    await page.getByText(`You sign in at ${provider.authority}`).waitFor();
    const linkOf = () =>
      page.evaluate("(({ href, target }) => ({ href, target }))(document.querySelector('.connect a'))");
    expect(await linkOf()).toMatchObject({ href: expect.stringContaining("&redirect_uri="), target: "" });
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${server.url}/console/projects/shelter/domains/check`);
    await page.getByLabel("Domain").fill("www.holder.test");
    await page.getByRole("button", { name: "Check" }).click();
    await link.waitFor();
    expect(await linkOf()).toMatchObject({
      href: expect.not.stringContaining("redirect_uri"),
      target: "_blank",
    });
  },
);
