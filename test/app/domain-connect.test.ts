import { join } from "node:path";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { commandDomainConnect } from "../../src/app/domain-connect.ts";
import { createServices } from "../../src/app/services.ts";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/data/db/open.ts";
import { OperatorError } from "../../src/lib/operator-error.ts";
import { TYPE } from "../../src/protocols/dns-server/records.ts";
import { atEnd, contextOf, temporaryDirectory } from "../support/store.ts";

const configOf = (env: Record<string, string> = {}) =>
  readConfig({
    flags: {},
    env: {
      DATA_DIR: temporaryDirectory(),
      PLATFORM_DOMAIN: "sites.example.org",
      DOMAIN_CONNECT_PROVIDER_ID: "example.org",
      ...env,
    },
    isTerminal: false,
  });

const connectOf = (env?: Record<string, string>) => {
  const config = configOf(env);
  const connect = commandDomainConnect(config);
  if (!connect) throw new Error("off");
  return { config, ...connect };
};

test("Domain Connect is off without its setting, and then has no key", () => {
  const config = configOf({ DOMAIN_CONNECT_PROVIDER_ID: "" });
  expect(commandDomainConnect(config)).toBeUndefined();
  expect(existsSync(join(config.dataDir, "domain-connect.key"))).toBe(false);
});

test("Domain Connect needs a public domain for its key", () => {
  expect(() => connectOf({ PLATFORM_DOMAIN: "localhost" })).toThrow(OperatorError);
});

test("Domain Connect publishes its key below PLATFORM_DOMAIN, from a file that it creates on first use", () => {
  const { config, keyRecords } = connectOf();
  expect(existsSync(join(config.dataDir, "domain-connect.key"))).toBe(false);
  const records = keyRecords();
  expect(records.every(({ name }) => /^_dc-[0-9a-f]{8}\.sites\.example\.org$/.test(name))).toBe(true);
  expect(commandDomainConnect(config)?.keyRecords()).toEqual(records);
});

test("Domain Connect returns people to the console only if it has an address in the public DNS", async () => {
  const redirectOf = async (env: Record<string, string>) =>
    (await connectOf(env).templateOf("subdomain", "x"))?.syncRedirectDomain;
  expect(await redirectOf({ BASE_URL: "https://adopt.example.org" })).toBe("adopt.example.org");
  expect(await redirectOf({})).toBeUndefined();
  expect(await redirectOf({ BASE_URL: "http://127.0.0.1:3000" })).toBeUndefined();
  expect(await redirectOf({ BASE_URL: "https://adopt.example.org", CONSOLE: "off" })).toBeUndefined();
});

test("Domain Connect has a record for challenges in its templates only if the service can answer them", async () => {
  const hostsOf = async (env: Record<string, string>) =>
    (await connectOf(env).templateOf("subdomain", "x"))?.records.map(({ host }) => host);
  expect(await hostsOf({ HTTPS_PORT: "443", NAMESERVER: "ns1.example.org" })).toEqual([
    "@",
    "_acme-challenge",
  ]);
  expect(await hostsOf({ HTTPS_PORT: "443" })).toEqual(["@"]);
  expect(await hostsOf({ NAMESERVER: "ns1.example.org" })).toEqual(["@"]);
});

test("Domain Connect has its key in the zone of the service's own name server", () => {
  const config = configOf({ NAMESERVER: "ns1.example.org", PUBLIC_ADDRESSES: "192.0.2.10" });
  const database = openDatabase(":memory:", { groupSize: config.commitGroupSize });
  atEnd(() => database.close());
  const { nameserver } = createServices(contextOf(database, { config }));
  const records = commandDomainConnect(config)?.keyRecords() ?? [];
  const served = nameserver?.texts.added(records[0]?.name ?? "", TYPE.TXT);
  expect(served?.map(({ data }) => data.length)).toEqual([records.length]);
});
