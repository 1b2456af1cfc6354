import { expect, test } from "bun:test";
import { discovery, untrustedHosts } from "../../../src/platform/domain-connect/discovery.ts";
import { templateFor } from "../../../src/platform/domain-connect/template.ts";
import { limitedFetch } from "../../../src/lib/limited-fetch.ts";
import { isGlobalUnicast } from "../../../src/protocols/dns/address.ts";
import { type DnsAccess, resolveWith } from "../../../src/protocols/dns/authoritative.ts";
import { dnsServer, testClient } from "../../support/dns.ts";
import { PROVIDER_HOST, dnsProvider } from "../../support/dns-provider.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { SETTINGS } from "./set-up.ts";

const SETTINGS_PATH = "/dc/v2/example.com/settings";
const TEMPLATE_PATH = "/api/v2/domainTemplates/providers/example.org/services/subdomain";
const LIMITS = { timeoutMs: 10_000, maxBytes: 64 * 1024 };

/** A zone with records for discovery, and a provider on loopback. */
const setUp = async ({
  texts,
  address = "127.0.0.1",
  allowsPrivate = true,
  certified,
}: {
  texts?: (authority: string) => string[];
  address?: string;
  allowsPrivate?: boolean;
  certified?: string[];
} = {}) => {
  const provider = await dnsProvider(certified);
  const records = texts?.(provider.authority) ?? [`${provider.authority}/dc`];
  const dns = await dnsServer({
    zones: {
      "example.com": records.map((text) => `_domainconnect.example.com TXT ${text}`),
      "provider.test": [`${PROVIDER_HOST} A ${address}`, "elsewhere.provider.test A 10.0.0.1"],
    },
  });
  const access: DnsAccess = {
    ask: testClient(),
    resolvers: () => [dns.server],
    port: dns.server.port,
    mayAsk: (one) => allowsPrivate || isGlobalUnicast(one),
  };
  // As by default, but it trusts the provider's CA.
  const others = untrustedHosts(access, allowsPrivate, (url, options = {}) =>
    limitedFetch(LIMITS)(url, { ...options, tls: { ...options.tls, ca: provider.root } }),
  );
  provider.paths.set(SETTINGS_PATH, JSON.stringify(provider.settings));
  return {
    provider,
    others,
    ...discovery(resolveWith(access), others),
    async [Symbol.asyncDispose]() {
      dns[Symbol.dispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
};

test("a provider is found by the record of the zone and the settings at its address", async () => {
  await using zone = await setUp();
  const { urlSyncUX, urlAPI } = zone.provider.settings;
  expect(await zone.providerOf("example.com")).toEqual({
    name: "The Provider",
    syncUrl: urlSyncUX,
    apiUrl: urlAPI,
  });
  expect(zone.provider.requests).toEqual([`https://${zone.provider.authority}${SETTINGS_PATH}`]);
});

test("a provider is found by a later record if an earlier one is malformed or leads nowhere", async () => {
  await using zone = await setUp({ texts: (authority) => ["v=spf1 -all", authority, `${authority}/dc`] });
  expect(await zone.providerOf("example.com")).toBeDefined();
});

test("a provider costs two requests at most, regardless of the zone's records", async () => {
  const texts = (authority: string) => ["a", "b", "c", "d", "dc"].map((path) => `${authority}/${path}`);
  await using zone = await setUp({ texts });
  expect(await zone.providerOf("example.com")).toBeUndefined();
  expect(zone.provider.requests.length).toBe(2);
});

test.each<[string, (authority: string) => string]>([
  ["a scheme", (authority) => `https://${authority}/dc`],
  ["a user", (authority) => `user@${authority}/dc`],
  ["a query", (authority) => `${authority}/dc?x=`],
  ["a fragment", (authority) => `${authority}/dc#`],
  ["an IP address", (authority) => authority.replace(PROVIDER_HOST, "127.0.0.1")],
  ["a name of one label", () => "localhost/dc"],
  ["a backslash", (authority) => `${authority}\\dc`],
  ["more than a thousand characters", (authority) => `${authority}/dc/${"x".repeat(1000)}`],
])("no provider is requested for a record with %s", async (_, text) => {
  await using zone = await setUp({ texts: (authority) => [text(authority)] });
  expect(await zone.providerOf("example.com")).toBeUndefined();
  expect(zone.provider.requests).toEqual([]);
});

test.each<[string, unknown]>([
  ["no JSON", "<html>"],
  ["null", "null"],
  ["more than 64 KiB", `{"x":"${"x".repeat(70_000)}"}`],
  ["no name", { providerDisplayName: undefined, providerName: undefined }],
  ["a name that is not text", { providerDisplayName: { toString: 1 } }],
  ["no synchronous flow", { urlSyncUX: undefined }],
  ["no API", { urlAPI: undefined }],
  ["a page that is a script", { urlSyncUX: "javascript:alert(1)//x.test/" }],
  ["a page over HTTP", { urlSyncUX: "http://connect.provider.test/sync" }],
  ["a page with a query", { urlSyncUX: "https://connect.provider.test/sync?next=" }],
  ["a page at an address", { urlSyncUX: "https://192.168.1.1/sync" }],
  ["a page with a user", { urlSyncUX: "https://provider.test@connect.provider.test/" }],
  ["a page at a host that does not exist", { urlSyncUX: "https://absent.provider.test/" }],
  ["an API that is a file", { urlAPI: "file:///etc/passwd" }],
  ["settings that must be understood", { crit: ["vnd.flow"], "vnd.flow": 1 }],
  ["a list of such settings that is not a list", { crit: "vnd.flow" }],
])("a provider with %s is not offered", async (_, answer) => {
  await using zone = await setUp();
  const { settings, paths } = zone.provider;
  paths.set(
    SETTINGS_PATH,
    typeof answer === "string" ? answer : JSON.stringify({ ...settings, ...(answer as object) }),
  );
  expect(await zone.providerOf("example.com")).toBeUndefined();
  expect(zone.provider.requests.length).toBe(1);
});

test("a provider with settings that need not be understood, or that are absent, is offered", async () => {
  await using zone = await setUp();
  const { settings, paths } = zone.provider;
  paths.set(SETTINGS_PATH, JSON.stringify({ ...settings, "vnd.x": 1, crit: ["urlAPI", "vnd.absent"] }));
  expect(await zone.providerOf("example.com")).toBeDefined();
});

test("the name of a provider moves no cursor, and is truncated", async () => {
  await using zone = await setUp();
  const { settings, paths } = zone.provider;
  const providerDisplayName = `\u001b[31m\u202eEvil ${"x".repeat(200)}`;
  paths.set(SETTINGS_PATH, JSON.stringify({ ...settings, providerDisplayName }));
  const { name = "" } = (await zone.providerOf("example.com")) ?? {};
  expect(name).toStartWith("\\u001b[31m\\u202eEvil");
  expect(name.length).toBe(60);
});

test("a redirect of a provider is not followed", async () => {
  await using zone = await setUp();
  const { paths, requests } = zone.provider;
  paths.set("/other", JSON.stringify(zone.provider.settings));
  paths.set(SETTINGS_PATH, () => new Response("", { status: 302, headers: { location: "/other" } }));
  expect(await zone.providerOf("example.com")).toBeUndefined();
  expect(requests.length).toBe(1);
});

test("a provider is asked for text that is not compressed, and compressed text is not read", async () => {
  await using zone = await setUp();
  const { paths, settings } = zone.provider;
  const encodings: (string | null)[] = [];
  paths.set(SETTINGS_PATH, ({ headers }) => {
    encodings.push(headers.get("accept-encoding"));
    return new Response(Bun.gzipSync(JSON.stringify(settings)), {
      headers: { "content-encoding": "gzip" },
    });
  });
  expect(await zone.providerOf("example.com")).toBeUndefined();
  expect(encodings).toEqual(["identity"]);
});

test("a provider is not trusted without a certificate for its name", async () => {
  await using zone = await setUp({ certified: ["other.provider.test"] });
  expect(await zone.providerOf("example.com")).toBeUndefined();
  expect(zone.provider.requests).toEqual([]);
});

test.each([
  ["https://192.0.2.1/x"],
  ["https://2130706433/x"],
  ["https://0x7f.1/x"],
  ["https://localhost/x"],
  ["https://com/x"],
  [`https://dns.provider.test/${"x".repeat(1000)}`],
  [17],
  [undefined],
])("%p is not a URL that leads to a provider", async (text) => {
  await using zone = await setUp();
  expect(zone.others.parsePrefix(text)).toBeUndefined();
});

test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1"])(
  "without private addresses, a host at %s gets no request",
  async (address) => {
    await using zone = await setUp({ address, allowsPrivate: false, texts: () => [`${PROVIDER_HOST}/dc`] });
    expect(await zone.others.addressesOf(PROVIDER_HOST)).toEqual([]);
    expect(await outcomeOf(zone.others.get(`https://${PROVIDER_HOST}/`))).toThrow("has no public address");
    expect(await zone.providerOf("example.com")).toBeUndefined();
    expect(zone.provider.requests).toEqual([]);
  },
);

test("without private addresses, only the port of HTTPS may be named", async () => {
  await using zone = await setUp({ allowsPrivate: false });
  const { parsePrefix } = zone.others;
  expect(parsePrefix("https://dns.provider.test:22/x")).toBeUndefined();
  expect(parsePrefix("https://dns.provider.test:443/x/")).toBe("https://dns.provider.test/x");
  expect(parsePrefix("https://dns.provider.test:99999/x/")).toBeUndefined();
});

test("without private addresses, a request goes to the address that was checked", async () => {
  const requests: { url: string; options: BunFetchRequestInit | undefined }[] = [];
  using dns = await dnsServer({ zones: { "provider.test": [`${PROVIDER_HOST} A 93.184.215.14`] } });
  const access = {
    ask: testClient(),
    resolvers: () => [dns.server],
    port: dns.server.port,
    mayAsk: isGlobalUnicast,
  };
  const { get } = untrustedHosts(access, false, async (url, options) => {
    requests.push({ url: String(url), options });
    return new Response("{}");
  });
  await get(`https://${PROVIDER_HOST}/a`);
  const [{ url, options } = {}] = requests;
  expect(url).toBe("https://93.184.215.14/a");
  expect(options).toMatchObject({
    headers: { host: PROVIDER_HOST },
    tls: { serverName: PROVIDER_HOST },
    proxy: false,
  });
});

const template = templateFor("subdomain", SETTINGS, []);

test.each<[string, (() => Response) | undefined, boolean]>([
  ["200 without a body", () => new Response(""), true],
  ["200 with the template", () => Response.json(template), true],
  ["200 with another version", () => Response.json({ version: 1 }), false],
  ["404", undefined, false],
  ["500", () => new Response("", { status: 500 }), false],
  ["204", () => new Response(null, { status: 204 }), false],
  ["more than 64 KiB", () => new Response("x".repeat(70_000)), false],
])("the response %s shows whether a provider supports a template", async (_, response, expected) => {
  await using zone = await setUp();
  if (response) zone.provider.paths.set(TEMPLATE_PATH, response);
  const provider = await zone.providerOf("example.com");
  if (!provider) throw new Error("no provider");
  expect(await zone.supports(provider, template)).toBe(expected);
  expect(zone.provider.requests.length).toBe(2);
});
