import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "dns-packet";
import type { Server } from "../../src/lib/name-server.ts";
import { type Behaviour, type DnsServer, dnsServer } from "../support/dns.ts";
import { type Line, parseLine, type Zones } from "../support/zones.ts";
import { named, options, type Updatable } from "./dns-servers.ts";
import { makeKey, signZone, zoneFile, type ZoneKey } from "./zone-files.ts";
import { atEnd, directory, kept } from "./support.ts";
import type { ZoneFault } from "./zone-faults.ts";

/** The TTL of delegations and absences at the registry, in seconds. */
const DELEGATION_TTL = 20;

const RCODES = { FORMERR: 1, SERVFAIL: 2, NOTIMP: 4 } as const;

/** A response with only the question and an error code. */
const error = (query: Buffer, rcode: keyof typeof RCODES): Buffer[] => {
  const copy = Buffer.from(query).fill(0, 6, 12);
  copy[2] = 0x80;
  copy[3] = RCODES[rcode];
  return [copy.subarray(0, copy.indexOf(0, 12) + 5)];
};

const hasType = (query: Buffer, type: string): boolean => decode(query).questions?.[0]?.type === type;

const failing =
  (type: string, rcode: keyof typeof RCODES | "silent"): Behaviour =>
  (packet, query) => {
    if (!hasType(query, type)) return [packet];
    return rcode === "silent" ? [] : error(query, rcode);
  };

/** A server without EDNS rejects the record in the additional section. */
const withoutEdns: Behaviour = (packet, query) =>
  (decode(query).additionals ?? []).length > 0 ? error(query, "FORMERR") : [packet];

/** How a name server of a zone misbehaves; `none`: not at all, `outdated`: it lacks the holder's changes. */
const MISBEHAVIOURS = {
  none: undefined,
  outdated: undefined,
  refusing: "REFUSED",
  servfail: "SERVFAIL",
  silent: "silent",
  no_tcp: "hang_up",
  no_edns: withoutEdns,
  no_caa: failing("CAA", "NOTIMP"),
  caa_servfail: failing("CAA", "SERVFAIL"),
  caa_silent: failing("CAA", "silent"),
  aaaa_servfail: failing("AAAA", "SERVFAIL"),
} satisfies Record<string, Behaviour | undefined>;
export type Misbehaviour = keyof typeof MISBEHAVIOURS;

/** The addresses of `named`, of the registry, and of a server that refuses all queries. */
const NAMED = "127.0.0.1";
const REGISTRY = "127.0.0.9";
export const REFUSING = "127.0.0.8";
/** Each misbehaving server has a separate address. */
const addressOf = (at: number): string => `127.0.1.${at + 1}`;

/** Companies whose name servers the zones use. */
const COMPANIES = [
  "cloudflare.com",
  "domaincontrol.com",
  "pendingrenewaldeletion.com",
  "namecheap.com",
  "sedoparking.com",
];

/** A zone with a fault. Names are fully qualified. */
export interface FaultyZone {
  zone: string;
  fault: ZoneFault;
  /** The holder's records, which may be changed and then published. */
  records: Line[];
  /** The records on a company's server instead. */
  instead?: readonly Line[];
  subzones: Readonly<Record<string, readonly Line[]>>;
}

/** A faulty zone with its name servers. */
interface ServedZone extends FaultyZone {
  /** Misbehaving servers; if empty, `named` serves the zone. */
  servers: { server: DnsServer; kind: Misbehaviour }[];
  /** The key whose DS record the registry has, and another one. */
  key: ZoneKey | undefined;
  otherKey: ZoneKey | undefined;
  /** True if the parties in charge of the servers and the delegation have repaired them. */
  isRepaired: boolean;
}

const addressesOf = ({ servers }: ServedZone): string[] =>
  servers.length === 0 ? [NAMED] : servers.map(({ server }) => server.server.address);

const nameServersOf = (one: ServedZone): Line[] => {
  const { zone, fault, isRepaired } = one;
  const ns = { name: zone, ttl: DELEGATION_TTL, type: "NS" };
  if (fault.nameServer !== undefined && !isRepaired) return [{ ...ns, value: fault.nameServer }];
  return addressesOf(one).flatMap((value, index) => {
    const name = `ns${index + 1}.${zone}`;
    return [
      { ...ns, value: name },
      { name, ttl: DELEGATION_TTL, type: "A", value },
    ];
  });
};

const lineOf = ({ name, ttl, type, value }: Line): string => `${name} ${ttl} ${type} ${value}`;

/** The registry's records for all zones and the companies' servers. */
const registryZones = (zones: readonly ServedZone[], platform: Zones): Zones => ({
  test: [
    "test NS ns.test",
    `ns.test A ${REGISTRY}`,
    ...Object.keys(platform).flatMap((name) => [`${name} NS ns.${name}`, `ns.${name} A ${NAMED}`]),
    ...zones
      .filter(({ fault, isRepaired }) => isRepaired || !fault.isUnregistered)
      .flatMap((one) => nameServersOf(one).map(lineOf)),
  ],
  ...Object.fromEntries(
    COMPANIES.map((company) => {
      const servers = zones.flatMap(({ fault: { nameServer = "" } }) =>
        nameServer.endsWith(`.${company}`) ? [`${nameServer} A ${NAMED}`] : [],
      );
      return [company, [`${company} NS ns.test`, ...servers]];
    }),
  ),
});

/** All records on the zone's own servers. */
const contentOf = (one: ServedZone): Line[] => [
  ...nameServersOf(one),
  ...(one.isRepaired ? one.records : (one.instead ?? one.records)),
];

/** Adds a zone to the misbehaving servers, or removes it. */
const publishAt = (one: ServedZone): void => {
  for (const { server, kind } of one.servers) {
    const isOutdated = kind === "outdated" && !one.isRepaired;
    if (one.isRepaired) server.behaviours.clear();
    server.zones[one.zone] = (isOutdated ? nameServersOf(one) : contentOf(one)).map(lineOf);
  }
};

/** Writes the files of a zone for `named`. */
const writeZone = async (path: string, one: ServedZone, serial: number): Promise<void> => {
  const { zone, fault, subzones, key, otherKey, isRepaired } = one;
  const file = join(path, `${zone}.zone`);
  writeFileSync(file, zoneFile(zone, contentOf(one), serial));
  const isExpired = fault.isSigned === "expired" && !isRepaired;
  const signing = isRepaired || isExpired ? key : otherKey;
  if (signing) await signZone(file, zone, signing, isExpired);
  for (const [name, records] of Object.entries(subzones))
    writeFileSync(join(path, `${name}.zone`), zoneFile(name, records, serial));
};

const zoneLine = (name: string, more = ""): string =>
  `zone "${name}" { type primary; file "${name}.zone"; ${more} };`;

/** The zones that `named` serves. A child zone is served while its delegation exists. */
const namesAtNamed = (zones: readonly ServedZone[]): string[] =>
  zones
    .filter(({ servers }) => servers.length === 0)
    .flatMap(({ zone, subzones, records }) => [
      zone,
      ...Object.keys(subzones).filter((cut) =>
        records.some(({ type, name }) => type === "NS" && name === cut),
      ),
    ]);

const authorityConfig = (
  path: string,
  port: number,
  zones: readonly ServedZone[],
  { platform, updatable: { key, keyName, zone } }: FaultServersOptions,
): string => {
  const policy = `update-policy { grant ${keyName} subdomain _acme-challenge.${zone}. TXT; };`;
  return [
    options(path, port, "recursion no; dnssec-validation no;"),
    key,
    ...Object.keys(platform).map((name) => zoneLine(name, name === zone ? policy : "")),
    ...namesAtNamed(zones).map((name) => zoneLine(name)),
  ].join("\n");
};

/** A root without domains: the resolvers' configuration has everything else. */
const ROOT = `. 60 IN SOA ns. root. 1 60 60 60 60\n. 60 IN NS ns.\nns. 60 IN A ${REGISTRY}\n`;

/** A resolver that asks the registry and the servers that it delegates to. Without a root, it would query the real one. */
const startResolver = (server: Server, authorityPort: number, more: string, anchors = "") => {
  const path = directory();
  writeFileSync(join(path, "root.zone"), ROOT);
  const registry = `type static-stub; server-addresses { ${REGISTRY}; };`;
  const config = [
    options(path, server.port, `port ${authorityPort}; recursion yes; ${more}`),
    'zone "." { type primary; file "root.zone"; };',
    ...["test", ...COMPANIES].map((name) => `zone "${name}" { ${registry} };`),
    anchors,
  ];
  return named(path, server, config.join("\n"), "pages.test");
};

export interface FaultServersOptions {
  zones: readonly FaultyZone[];
  /** All authoritative servers use its port. */
  authority: Server;
  /** Caches records for their TTL. */
  resolver: Server;
  /** Caches nothing, like a CA's resolver. */
  caResolver: Server;
  /** The zones of the service. */
  platform: Zones;
  updatable: Updatable;
}

/** Starts the misbehaving servers, and creates the keys. */
const startZones = async (zones: readonly FaultyZone[], path: string, port: number) => {
  const served: ServedZone[] = [];
  let count = 0;
  for (const one of zones) {
    const { zone, fault } = one;
    const servers: ServedZone["servers"] = [];
    for (const kind of fault.servers ?? []) {
      const server = kept(await dnsServer({ zones: {}, address: addressOf(count++), port }));
      const behaviour = MISBEHAVIOURS[kind];
      if (behaviour !== undefined) server.behaviours.set("*", behaviour);
      servers.push({ server, kind });
    }
    const makeOne = (name: string) => makeKey(join(path, `${zone}.${name}`), zone);
    const key = fault.isSigned && (await makeOne("key"));
    const otherKey = fault.isSigned === "with another key" ? await makeOne("other-key") : undefined;
    served.push({ ...one, servers, key, otherKey, isRepaired: false });
  }
  return served;
};

/**
 * Starts the registry of `test`, `named` with a zone for each fault, a server for each misbehavior, and two resolvers. They
 * stop with the test.
 */
export const faultServers = async (given: FaultServersOptions) => {
  const { authority, resolver, caResolver, platform } = given;
  const { port } = authority;
  const path = directory();
  const served = await startZones(given.zones, path, port);
  const registry = kept(await dnsServer({ zones: {}, address: REGISTRY, port }));
  kept(await dnsServer({ zones: {}, address: REFUSING, port }));
  let serial = 0;
  const publishZone = async (one: ServedZone) => {
    serial += 1;
    if (one.servers.length > 0) publishAt(one);
    else await writeZone(path, one, serial);
  };
  const writePlatform = (name: string, lines: readonly string[]) => {
    serial += 1;
    const own = [`${name} NS ns.${name}`, `ns.${name} A ${NAMED}`];
    writeFileSync(join(path, `${name}.zone`), zoneFile(name, [...own, ...lines].map(parseLine), serial));
  };
  Object.assign(registry.zones, registryZones(served, platform));
  for (const [name, lines] of Object.entries(platform)) writePlatform(name, lines);
  for (const one of served) await publishZone(one);
  const config = () => authorityConfig(path, port, served, given);
  const holder = await named(path, authority, config(), "pages.test");
  const anchors = served.map(({ key }) => key?.anchor ?? "").join("\n");
  await startResolver(resolver, port, "dnssec-validation yes;", anchors);
  await startResolver(caResolver, port, "dnssec-validation no; max-cache-ttl 1; max-ncache-ttl 1;");
  let reload: ReturnType<typeof setTimeout> | undefined;
  atEnd(() => clearTimeout(reload));
  /** Many zones change at the same time. */
  const reloadSoon = () => {
    reload ??= setTimeout(() => {
      reload = undefined;
      holder.reload();
    }, 100);
  };
  const byZone = new Map(served.map((one) => [one.zone, one]));
  const servedZone = (zone: string): ServedZone => {
    const one = byZone.get(zone);
    if (!one) throw new Error(`the zone ${zone} does not exist`);
    return one;
  };
  return {
    isRepaired: ({ zone }: FaultyZone): boolean => servedZone(zone).isRepaired,
    /** Publishes a zone's records. @param isRepaired whether its servers and its delegation are repaired too */
    async publish({ zone }: FaultyZone, isRepaired: boolean): Promise<void> {
      const one = servedZone(zone);
      one.isRepaired ||= isRepaired;
      Object.assign(registry.zones, registryZones(served, platform));
      await publishZone(one);
      writeFileSync(join(path, "named.conf"), config());
      reloadSoon();
    },
    publishPlatform(name: string, lines: readonly string[]): void {
      writePlatform(name, lines);
      reloadSoon();
    },
  };
};
