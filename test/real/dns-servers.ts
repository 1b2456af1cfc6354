import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/platform/dns-checks/finding.ts";
import { formatServer, type Server } from "../../src/lib/name-server.ts";
import { isUsable, recordsOf } from "../../src/protocols/dns/cname-chain.ts";
import {
  before,
  BOGUS_ZONE,
  CHANGED,
  FAULTS,
  ISSUER,
  type Servers,
  STALE_ADDRESS,
  STALE_ZONES,
} from "../platform/dns-checks/cases.ts";
import { dnsServer, testClient } from "../support/dns.ts";
import { lookUp, parseLine, SOA, type Zones } from "../support/zones.ts";
import { atEnd, directory, kept, until } from "./support.ts";

/** Programs without which nothing here runs. */
export const NEEDED = ["named", "setpriv"];

const ADDRESS = "127.0.0.1";
/** Nothing ever answers here, on the port of the authoritative server. */
export const SILENT_ADDRESS = "127.0.0.2";

export const client = testClient({ timeoutMs: 2000 });

/** A port that is free over UDP and TCP. */
export const freeServer = async (): Promise<Server> => {
  using free = await dnsServer({ zones: {} });
  return free.server;
};

/** Where they will answer. */
export const freeServers = async () => {
  const [authority, resolver] = [await freeServer(), await freeServer()];
  const { port } = authority;
  return {
    authority,
    resolver,
    silent: { address: SILENT_ADDRESS, port },
    stale: { address: STALE_ADDRESS, port },
  };
};

export type NameServers = Awaited<ReturnType<typeof freeServers>>;

export const namesOf = ({ authority, resolver, silent, stale }: NameServers): Servers => ({
  authority: formatServer(authority),
  resolver: formatServer(resolver),
  silent: formatServer(silent),
  stale: formatServer(stale),
});

/** The settings of a server that asks these, and nothing else. */
export const settingsFor = (servers: Pick<NameServers, "authority" | "resolver">) => ({
  DNS_RESOLVERS: formatServer(servers.resolver),
  DNS_PORT: String(servers.authority.port),
  DNS_PRIVATE: "yes",
  CAA_ISSUERS: ISSUER,
  PLATFORM_CNAME_TARGET: "pages.test",
});

/** How much of an old answer's life may pass between the resolver's question and ours, in seconds. */
export const PASSED = 20;

const secondsOf = (finding: Finding | undefined): number | undefined =>
  finding?.kind === "not_propagated" ? finding.seconds : undefined;

/** Seconds left as in the expected finding, if they can be what is left of those. */
export const withMostSeconds = <Found extends Finding>(found: Found[], expected: Finding[]): Found[] =>
  found.map((finding, index) => {
    const [most, seconds] = [secondsOf(expected[index]), secondsOf(finding)];
    const isLeft = most !== undefined && seconds !== undefined && seconds <= most && seconds > most - PASSED;
    return isLeft ? { ...finding, seconds: most } : finding;
  });

/** A zone file of our zones' lines. @param soa how long an absence may be cached */
const zoneFile = (zone: string, lines: string[], serial: number, { ttl, minimum }: typeof SOA): string => {
  const soa = `${zone}. ${ttl} IN SOA ns.${zone}. root.${zone}. ${serial} 60 60 60 ${minimum}`;
  const records = lines.map(parseLine).map(({ name, ttl, type, value }) => {
    const data = type === "CNAME" || type === "NS" ? `${value}.` : value;
    return `${name}. ${ttl} IN ${type} ${data}`;
  });
  return [soa, ...records, ""].join("\n");
};

/** A zone that has nothing but a name server, whatever its name is. */
const KEPT_ZONE = "@ 300 IN SOA ns.test. root.test. 1 60 60 60 120\n@ 300 IN NS ns.test.\n";

const writeZones = (path: string, zones: Zones, serial: number, soa = SOA) => {
  for (const [name, lines] of Object.entries(zones))
    writeFileSync(join(path, `${name}.zone`), zoneFile(name, lines, serial, soa));
};

/** Nothing of the machine's own named is read or written: no control channel, no chroot, files here only. */
export const options = (path: string, port: number, more: string): string => `
  options {
    directory "${path}"; pid-file none; lock-file none; session-keyfile "${path}/session.key";
    listen-on port ${port} { ${ADDRESS}; }; listen-on-v6 { none; };
    allow-query { any; }; empty-zones-enable no; ${more}
  };
  controls { };
`;

const PROBE = "example.test";

/** Debian's name server, until the test ends. @param probe a name that it has */
export const named = async (path: string, server: Server, config: string, probe = PROBE) => {
  const [file, log] = [join(path, "named.conf"), join(path, "named.log")];
  writeFileSync(file, config);
  const child = Bun.spawn(["setpriv", "--pdeathsig", "TERM", "named", "-4", "-g", "-n", "1", "-c", file], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(log),
  });
  const end = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  atEnd(end);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const isUp = async () => hasEnded() || isUsable(await client(server, { name: probe, type: "NS" }, true));
  try {
    await until("named answers", isUp, 20_000);
    if (hasEnded()) throw new Error("named has ended");
  } catch (error) {
    throw new Error(`${String(error)}\n${readFileSync(log, "utf8")}`, { cause: error });
  }
  /** Reads its zones again. */
  return { reload: () => child.kill("SIGHUP") };
};

/** What named itself does with the names of `FAULTS`: a zone that it cannot load, and one that it does not tell of. */
const FAULTY_ZONES = {
  SERVFAIL: (name: string) => `zone "${name}" { type primary; file "absent.zone"; };`,
  REFUSED: (name: string) => `zone "${name}" { type primary; file "kept.zone"; allow-query { none; }; };`,
  silent: () => "",
};

/** A zone that takes dynamic updates. */
export interface Updatable {
  zone: string;
  /** A key as tsig-keygen prints it, and its name. */
  key: string;
  keyName: string;
}

/** A zone at another address, on the port of the authoritative server. The resolver caches negative responses for a second only. */
export interface Delegated {
  zone: string;
  address: string;
}

const authorityConfig = (path: string, port: number, zones: Zones, updatable?: Updatable): string =>
  [
    options(path, port, "recursion no; dnssec-validation no;"),
    updatable?.key ?? "",
    ...Object.keys(zones).map((name) => {
      const policy =
        name === updatable?.zone
          ? `update-policy { grant ${updatable.keyName} subdomain _acme-challenge.${name}. TXT; };`
          : "";
      return `zone "${name}" { type primary; file "${name}.zone"; ${policy} };`;
    }),
    ...FAULTS.map(({ name, authority }) => FAULTY_ZONES[authority](name)),
  ].join("\n");

/** A forwarder's address can have a port, a delegation's cannot: so the resolver asks the zones' servers by forwarding. */
const forwarding = (name: string, address: string, port: number): string =>
  `zone "${name}" { type forward; forward only; forwarders { ${address} port ${port}; }; };`;

/** The DNSKEY of a key that signs nothing: RFC 6605 section 4. */
const unusedKey = (): string => {
  const { x = "", y = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
    format: "jwk",
  });
  return Buffer.concat([Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString("base64");
};

/** Stands for the DS record of a zone that should be signed. */
const trustAnchor = () => `trust-anchors { ${BOGUS_ZONE}. static-key 257 3 13 "${unusedKey()}"; };`;

const resolverConfig = (path: string, port: number, authorityPort: number, more = ""): string =>
  [
    options(path, port, `recursion yes; dnssec-validation yes; ${more}`),
    trustAnchor(),
    forwarding("test", ADDRESS, authorityPort),
    forwarding("sedoparking.com", ADDRESS, authorityPort),
    ...FAULTS.filter(({ authority }) => authority === "silent").map(({ name }) =>
      forwarding(name, SILENT_ADDRESS, authorityPort),
    ),
  ].join("\n");

export const TYPES = ["CNAME", "A", "AAAA", "NS", "CAA"] as const;

const valueOf = (zones: Zones, name: string): unknown => {
  const [record] = lookUp(zones, name, "CNAME").answers;
  return record && "data" in record ? record.data : undefined;
};

/** Has the resolver remember all of some names. */
const remember = async (resolver: Server, names: string[]) => {
  for (const name of names) for (const type of TYPES) await client(resolver, { name, type }, true);
};

/**
 * Starts an authoritative server, a resolver that asks it, a server that is silent, and one with older records. The
 * resolver still remembers what the changed names had before, unless it is forgetful. They end with the test.
 */
export const nameServers = async (
  zones: Zones,
  { authority, resolver, silent, stale }: NameServers,
  {
    updatable,
    delegated,
    isForgetful = false,
    soa = SOA,
  }: { updatable?: Updatable; delegated?: Delegated; isForgetful?: boolean; soa?: typeof SOA } = {},
) => {
  const paths = { authority: directory(), resolver: directory() };
  kept(await dnsServer({ zones: {}, ...silent })).behaviours.set("*", "silent");
  const second = kept(await dnsServer({ zones: { ...STALE_ZONES }, ...stale }));
  writeZones(paths.authority, before(zones), 1, soa);
  writeFileSync(join(paths.authority, "kept.zone"), KEPT_ZONE);
  const configOf = (served: Zones) => authorityConfig(paths.authority, authority.port, served, updatable);
  const holder = await named(paths.authority, authority, configOf(zones));
  const forgets = isForgetful ? "max-cache-ttl 1; max-ncache-ttl 1;" : delegated && "max-ncache-ttl 1;";
  const resolving = resolverConfig(paths.resolver, resolver.port, authority.port, forgets);
  const delegation = delegated ? forwarding(delegated.zone, delegated.address, authority.port) : "";
  await named(paths.resolver, resolver, `${resolving}\n${delegation}`);
  await remember(resolver, CHANGED);
  writeZones(paths.authority, zones, 2, soa);
  holder.reload();
  await until("named has read its zones again", async () => {
    const asked = CHANGED.map((name) => client(authority, { name, type: "CNAME" }, false));
    const values = (await Promise.all(asked)).map((exchange) => recordsOf(exchange)[0]?.data);
    return values.every((value, index) => value === valueOf(zones, CHANGED[index] ?? ""));
  });
  let serial = 2;
  return {
    /** Gives zones other records, which holds within a moment; the resolver may remember what they had. */
    change(changed: Zones): void {
      serial += 1;
      writeZones(paths.authority, changed, serial, soa);
      for (const zone of Object.keys(STALE_ZONES)) second.zones[zone] = changed[zone] ?? [];
      // There may be new zones.
      writeFileSync(join(paths.authority, "named.conf"), configOf(changed));
      holder.reload();
    },
  };
};
