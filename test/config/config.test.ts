import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { ConfigError, processSources, readConfig } from "../../src/config/config.ts";
import { parseConfigFile } from "../../src/config/file.ts";
import { readSavedSettings, saveSettings } from "../../src/config/shared-settings.ts";
import { SETTING_NAMES, SETTINGS, type Setting } from "../../src/config/settings.ts";
import { settingText } from "../../src/config/sources.ts";
import { temporaryDirectory } from "../support/store.ts";

const read = (env: Record<string, string> = {}, flags: Record<string, string> = {}, isTerminal = false) =>
  readConfig({ env, flags, isTerminal });

test("without any setting the configuration has the documented defaults", () => {
  expect(read()).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    portHost: "127.0.0.1",
    dataDir: "./data",
    baseUrl: undefined,
    stagingBaseUrl: undefined,
    corsOrigins: [],
    trustProxy: 0,
    workers: 1,
    logLevel: "info",
    logFormat: "json",
    colour: false,
    bodyLimit: 65_536,
    authFailuresPerMinute: 100,
    eventStreams: 1000,
    eventStreamsPerKey: 200,
    commitGroupSize: 1024,
    auditDays: 365,
    strictCategories: false,
    diskReserve: 67_108_864,
    platformDomain: "localhost",
    platformCnameTarget: "cname.localhost",
    console: true,
    apiHosts: [],
    deployLimit: 104_857_600,
    projectQuota: 10_737_418_240,
    dnsResolvers: [],
    dnsPort: 53,
    dnsPrivate: false,
    publicDomainCheck: false,
    domainConnectProviderId: undefined,
    nameserver: [],
    publicAddresses: [],
    dnsListenPort: 53,
    dnsListenHost: "127.0.0.1",
    httpsPort: undefined,
    httpPort: undefined,
    acmeDirectory: ["https://acme-v02.api.letsencrypt.org/directory"],
    acmeLimits: [],
    acmeAgreeTos: false,
    acmeEmail: undefined,
    acmeCaFile: undefined,
    acmeEabKid: undefined,
    acmeEabHmac: undefined,
    acmeProfile: undefined,
    dnsChallengeHook: undefined,
    dnsUpdateServer: undefined,
    dnsUpdateKeyFile: undefined,
    dnsUpdateZone: "localhost",
    acmeHttpPort: 80,
    acmeTlsPort: 443,
    hstsMaxAge: 31_536_000,
    caaIssuers: ["letsencrypt.org"],
    backupSchedule: undefined,
    backupDir: "data/backups",
    backupKeep: 7,
    databaseUrl: undefined,
    clusterNodes: undefined,
    nodeName: undefined,
    drainTime: 0,
    blobsUrl: undefined,
    staleLimit: 1000,
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcScopes: "openid email profile",
    oidcLabel: "",
  });
});

test("the configuration has a value for each setting, and colour", () => {
  expect(Object.keys(read()).toSorted()).toEqual([...SETTING_NAMES, "colour"].toSorted());
});

test("an empty flag unsets a setting without a default, and a list is then empty", () => {
  const flags = { httpsPort: "", baseUrl: "", backupSchedule: "", apiHosts: "" };
  expect(read({ HTTPS_PORT: "443", BASE_URL: "https://adopt.example.org" }, flags)).toMatchObject({
    httpsPort: undefined,
    baseUrl: undefined,
    backupSchedule: undefined,
    apiHosts: [],
  });
});

test("a flag overrides the environment, and the environment the default; an empty variable is unset", () => {
  expect(read({ PORT: "4000" }, { port: "5000" }).port).toBe(5000);
  expect(read({ PORT: "4000" }).port).toBe(4000);
  expect(read({ PORT: "" }).port).toBe(3000);
});

test("the prefix ADOPTION_STORE_ goes before the bare variable", () => {
  expect(read({ ADOPTION_STORE_PORT: "4000", PORT: "5000" }).port).toBe(4000);
  expect(read({ ADOPTION_STORE_PORT: "", PORT: "5000" }).port).toBe(5000);
  expect(() => read({ ADOPTION_STORE_PORT: "x" })).toThrow('ADOPTION_STORE_PORT: "x" must be a port');
});

test("ADOPTION_STORE_PORT as Kubernetes sets it for a service is ignored", () => {
  expect(read({ ADOPTION_STORE_PORT: "tcp://10.96.0.7:80" }).port).toBe(3000);
});

test("a file overrides the settings of a server, and the environment the file", () => {
  const file = parseConfigFile("/etc/a.toml", "port = 4000\ntrust_proxy = 1\n");
  const sources = { flags: {}, saved: { PORT: "5000", BASE_URL: "http://a.org" }, isTerminal: false };
  expect(readConfig({ ...sources, env: { TRUST_PROXY: "2" }, file })).toMatchObject({
    port: 4000,
    trustProxy: 2,
    baseUrl: "http://a.org",
  });
});

test.each([
  [{ HOST: "0.0.0.0" }, "0.0.0.0"],
  [{ HOST: "0.0.0.0", HTTPS_PORT: "443" }, "127.0.0.1"],
  [{ HOST: "example.org", HTTPS_PORT: "443" }, "127.0.0.1"],
  [{ HOST: "::1", HTTPS_PORT: "443" }, "::1"],
  [{ HOST: "0.0.0.0", HTTPS_PORT: "443", PORT_HOST: "192.0.2.1" }, "192.0.2.1"],
  [{ PORT_HOST: "0.0.0.0" }, "0.0.0.0"],
])("with %j PORT listens on %s, and the other ports on HOST", (env, portHost) => {
  const { HOST: host = "127.0.0.1" } = env as { HOST?: string };
  expect(read(env as Record<string, string>)).toMatchObject({ portHost, host });
});

test("the name server listens on HOST, unless DNS_LISTEN_HOST is set", () => {
  expect(read({ HOST: "0.0.0.0" }).dnsListenHost).toBe("0.0.0.0");
  expect(read({ HOST: "0.0.0.0", DNS_LISTEN_HOST: "192.0.2.1" }).dnsListenHost).toBe("192.0.2.1");
});

test("the configuration cannot be changed", () => {
  expect(() => Object.assign(read(), { port: 1 })).toThrow();
});

test("logs are pretty and coloured on a terminal, and without colours if NO_COLOR is set", () => {
  expect(read({}, {}, true)).toMatchObject({ logFormat: "pretty", colour: true });
  expect(read({ NO_COLOR: "1" }, {}, true)).toMatchObject({ logFormat: "pretty", colour: false });
  expect(read({ LOG_FORMAT: "json" }, {}, true).logFormat).toBe("json");
});

test.each([
  ["BASE_URL", "https://adopt.example.org/", { baseUrl: "https://adopt.example.org" }],
  [
    "CORS_ORIGINS",
    "https://a.org, https://b.org:8443",
    { corsOrigins: ["https://a.org", "https://b.org:8443"] },
  ],
  ["CORS_ORIGINS", "*", { corsOrigins: ["*"] }],
  ["BODY_LIMIT", "1 MiB", { bodyLimit: 1_048_576 }],
  ["BODY_LIMIT", "2048", { bodyLimit: 2048 }],
  ["HOST", "::1", { host: "::1" }],
  ["PLATFORM_DOMAIN", "Sites.Example.org.", { platformDomain: "sites.example.org" }],
  ["PLATFORM_DOMAIN", "example.org", { platformCnameTarget: "cname.example.org" }],
  [
    "DNS_RESOLVERS",
    "192.0.2.53, [2001:db8::53]:5353",
    { dnsResolvers: ["192.0.2.53", "[2001:db8::53]:5353"] },
  ],
  ["DNS_PRIVATE", "yes", { dnsPrivate: true }],
  ["PUBLIC_DOMAIN_CHECK", "on", { publicDomainCheck: true }],
  ["DOMAIN_CONNECT_PROVIDER_ID", "Example.org", { domainConnectProviderId: "example.org" }],
  ["NAMESERVER", "ns1.example.org, NS2.example.org.", { nameserver: ["ns1.example.org", "ns2.example.org"] }],
  ["STALE_LIMIT", "0s", { staleLimit: 0 }],
  ["STALE_LIMIT", "24h", { staleLimit: 86_400_000 }],
  ["PUBLIC_ADDRESSES", "192.0.2.10,2001:db8::10", { publicAddresses: ["192.0.2.10", "2001:db8::10"] }],
])("%s=%s is parsed", (name, text, expected) => {
  expect(read({ [name]: text })).toMatchObject(expected);
});

test.each([
  ["PORT", "abc"],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "3000.5"],
  ["PORT", "0x10"],
  ["HOST", "a b"],
  ["PORT_HOST", "a b"],
  ["BASE_URL", "example.org"],
  ["BASE_URL", "https://example.org/path"],
  ["BASE_URL", "https://user:pass@example.org"],
  ["BASE_URL", "ftp://example.org"],
  ["CORS_ORIGINS", "https://a.org/x"],
  ["CORS_ORIGINS", "https://a.org,b"],
  ["TRUST_PROXY", "yes"],
  ["LOG_LEVEL", "loud"],
  ["LOG_FORMAT", "xml"],
  ["PLATFORM_DOMAIN", "example..org"],
  ["PLATFORM_DOMAIN", "https://example.org"],
  ["PLATFORM_DOMAIN", "192.0.2.1"],
  ["API_HOSTS", "a.org:80"],
  ["DNS_RESOLVERS", "dns.example.org"],
  ["DNS_RESOLVERS", "192.0.2.53:0"],
  ["NAMESERVER", "192.0.2.10"],
  ["PUBLIC_ADDRESSES", "www.example.org"],
  ["PUBLIC_ADDRESSES", "fe80::1%eth0"],
  ["DNS_LISTEN_PORT", "dns"],
  ["BODY_LIMIT", "0"],
  ["BODY_LIMIT", "1TB"],
  ["AUTH_FAILURES_PER_MINUTE", "0"],
  ["EVENT_STREAMS", "0"],
  ["EVENT_STREAMS", "5001"],
  ["EVENT_STREAMS_PER_KEY", "many"],
  ["COMMIT_GROUP_SIZE", "0"],
  ["DISK_RESERVE", "much"],
  ["ACME_LIMITS", "orders=300"],
  ["ACME_LIMITS", "letsencrypt, orders=300/3h;domain=50/7d"],
  ["STALE_LIMIT", "25h"],
  ["STALE_LIMIT", "1"],
])("the malformed setting %s=%p is refused with one line that names it and its form", (name, text) => {
  const attempt = () => read({ [name]: text });
  expect(attempt).toThrow(ConfigError);
  const { form } = Object.values(SETTINGS as Record<string, Setting>).find(({ env }) => env === name) ?? {
    form: "?",
  };
  expect(attempt).toThrow(`${name}: ${JSON.stringify(text)} must be ${form}`);
});

test("a malformed flag is refused with one line that names it and its form", () => {
  expect(() => read({}, { dataDir: "" })).toThrow("--data-dir: ");
});

test("more limits than CAs are refused with their syntax", () => {
  expect(() => read({ ACME_LIMITS: "none, orders=20/1h" })).toThrow(
    "ACME_LIMITS has more entries than ACME_DIRECTORY has CAs: separate the limits of one CA with spaces, and CAs with commas",
  );
});

test("an empty entry of ACME_LIMITS leaves its CA unchanged", () => {
  const ACME_DIRECTORY = "https://one.test/directory, https://two.test/directory";
  expect(read({ ACME_DIRECTORY, ACME_LIMITS: " , orders=20/1h" }).acmeLimits).toEqual([[], ["orders=20/1h"]]);
});

test("with HTTPS, PORT listens where HOST does only if HOST is an address of this machine", () => {
  const portHost = (HOST: string) => read({ HOST, HTTPS_PORT: "443" }).portHost;
  expect(portHost("127.0.0.2")).toBe("127.0.0.2");
  expect(portHost("127.example.com")).toBe("127.0.0.1");
});

test("paths among the saved settings are absolute, because commands may run in another directory", async () => {
  const dataDir = temporaryDirectory();
  await saveSettings({ ...read({ ACME_CA_FILE: "ca.pem", BACKUP_DIR: "shelf" }), dataDir }, 3000);
  expect(readSavedSettings(dataDir)).toMatchObject({
    ACME_CA_FILE: resolve("ca.pem"),
    BACKUP_DIR: resolve("shelf"),
  });
});

test("commands use the same CAs and limits as the server", async () => {
  const env = {
    ACME_DIRECTORY: "https://one.test/directory,https://two.test/directory,https://three.test/directory",
    ACME_LIMITS: "letsencrypt orders=5000/3h,,none",
    ACME_AGREE_TOS: "true",
  };
  for (const given of [env, {}]) {
    const dataDir = temporaryDirectory();
    const server = read(given);
    await saveSettings({ ...server, dataDir }, 3000);
    const { acmeDirectory, acmeLimits, acmeAgreeTos } = server;
    expect(read(readSavedSettings(dataDir))).toMatchObject({ acmeDirectory, acmeLimits, acmeAgreeTos });
  }
});

const DATABASE_URL = "etcd://root:s3cret-word@a.example.org,b.example.org/shelter";

test("DATABASE_URL is the address of the cluster's log", () => {
  expect(read({ DATABASE_URL }).databaseUrl).toMatchObject({ engine: "etcd", path: "shelter" });
});

test("a malformed DATABASE_URL is refused with its place and the right form, without its password", () => {
  const attempt = () => read({ DATABASE_URL: "etcd://root:s3cret-word@a b/shelter" });
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(/^DATABASE_URL: host 1 must be a name/);
  expect(attempt).not.toThrow(/s3cret|root/);
});

test("DATABASE_URL allows one process a node: a number of WORKERS is refused, and auto is one", () => {
  expect(() => read({ DATABASE_URL, WORKERS: "2" })).toThrow("WORKERS: with DATABASE_URL one process");
  expect(read({ DATABASE_URL, WORKERS: "1" }).workers).toBe(1);
  expect(read({ DATABASE_URL, WORKERS: "auto" }).workers).toBe(1);
});

test("DATABASE_URL is not among the saved settings, because it holds a password", async () => {
  const dataDir = temporaryDirectory();
  await saveSettings({ ...read({ DATABASE_URL }), dataDir }, 3000);
  expect(JSON.stringify(readSavedSettings(dataDir))).not.toMatch(/s3cret|etcd/);
});

const BLOBS_URL = "s3://the-key:s3cret-word@my-bucket/sites?region=eu-1";

test("BLOBS_URL is the bucket of the files of sites, completed by the environment", () => {
  expect(read({}).blobsUrl).toBeUndefined();
  expect(read({ BLOBS_URL, S3_ENDPOINT: "https://s3.example.org" }).blobsUrl).toMatchObject({
    bucket: "my-bucket",
    endpoint: "https://s3.example.org",
    region: "eu-1",
  });
});

test.each([
  [{ BLOBS_URL: "s3://the-key:s3cret-word@My_Bucket" }, /^BLOBS_URL: the bucket must be/],
  [{ BLOBS_URL, AWS_SESSION_TOKEN: "s3cret-word" }, /^BLOBS_URL: its keys cannot be used/],
  [{ BLOBS_URL, S3_ENDPOINT: "http://s3.example.org" }, /^BLOBS_URL: the endpoint must be https/],
])("a malformed BLOBS_URL is refused with its place, without its keys: case %#", (env, says) => {
  expect(() => read(env)).toThrow(says);
  expect(() => read(env)).not.toThrow(/s3cret|the-key/);
});

test("BLOBS_URL is not among the saved settings, because it holds a key", async () => {
  const dataDir = temporaryDirectory();
  await saveSettings({ ...read({ BLOBS_URL }), dataDir }, 3000);
  expect(JSON.stringify(readSavedSettings(dataDir))).not.toMatch(/s3cret|the-key|my-bucket/);
});

test("an error in a variable of the service's environment file names the file and the line", () => {
  const sources = {
    flags: {},
    env: { BODY_LIMIT: "lots", PORT: "80" },
    places: { BODY_LIMIT: "/etc/environment:7" },
    isTerminal: false,
  };
  expect(settingText("bodyLimit", sources)).toEqual({
    text: "lots",
    kind: "environment_file",
    origin: "/etc/environment:7",
  });
  expect(settingText("port", sources)).toMatchObject({ kind: "environment", origin: "PORT" });
  expect(() => readConfig(sources)).toThrow('/etc/environment:7: BODY_LIMIT: "lots" must be ');
});

test.each([
  ["PORT", "ADOPTION_STORE_PORT"],
  ["ADOPTION_STORE_PORT", "PORT"],
])("%s of a command overrides %s of the service", (own, ofService) => {
  const path = "/etc/environment:7";
  const previous = process.env[own];
  process.env[own] = "9000";
  try {
    const sources = processSources({}, { variables: { [ofService]: "8080" }, places: { [ofService]: path } });
    expect(settingText("port", sources)).toEqual({ text: "9000", kind: "environment", origin: own });
  } finally {
    if (previous === undefined) delete process.env[own];
    else process.env[own] = previous;
  }
});

test("CLUSTER_NODES is a number or different names", () => {
  expect(read({ CLUSTER_NODES: "3" }).clusterNodes).toBe(3);
  expect(read({ CLUSTER_NODES: "one, two" }).clusterNodes).toEqual(["one", "two"]);
  for (const wrong of ["0", "100", "-1", "1.5", "one,one", "a b"])
    expect(() => read({ CLUSTER_NODES: wrong })).toThrow("CLUSTER_NODES");
});

test("DRAIN_TIME is two seconds in a cluster, none without one, and needs a single process", () => {
  const DATABASE_URL = "etcd://127.0.0.1/shelter";
  expect(read({}).drainTime).toBe(0);
  expect(read({ DATABASE_URL }).drainTime).toBe(2000);
  expect(read({ DATABASE_URL, DRAIN_TIME: "7s" }).drainTime).toBe(7000);
  expect(() => read({ DRAIN_TIME: "2s", WORKERS: "2" })).toThrow("DRAIN_TIME needs one process");
});
