import { expect } from "bun:test";
import { createSocket } from "node:dgram";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { decode } from "dns-packet";
import { listenForDns } from "../../src/protocols/dns-server/listen.ts";
import type { Server } from "../../src/lib/name-server.ts";
import { question, read, testResponder } from "../support/dns-questions.ts";
import { type Random, seeded } from "../support/random.ts";
import { parseLine, zoneOfLines } from "../support/served-zones.ts";
import { freeServer, named, options } from "./dns-servers.ts";
import { type Asked, randomQuestion, randomZones, zoneFileOf } from "./nameserver-parity.ts";
import { HTTP_PROTOCOLS } from "../../src/protocols/tls/listener.ts";
import { platformZones, textRecords, withHttpsRecords } from "../../src/platform/nameserver/nameserver.ts";
import { directory, real, serve } from "./support.ts";

const test = real("named", "setpriv");

const QUESTIONS = 5000;
/** Questions in flight over UDP. */
const AT_ONCE = 20;

/** Nothing but what a response needs, as ours; and everything for ANY, to see whether ours is a part of it. */
const RULES =
  "recursion no; minimal-responses yes; zero-no-soa-ttl no; minimal-any no; check-integrity no; allow-transfer { none; };";

const namedConfig = (path: string, port: number, origins: readonly string[]): string =>
  [
    options(path, port, RULES),
    ...origins.map((name) => `zone "${name}" { type primary; file "${name}.zone"; check-names ignore; };`),
  ].join("\n");

/** BIND with these zone files, until the test ends. */
const namedWith = async (path: string, files: Record<string, string>) => {
  mkdirSync(path, { recursive: true });
  for (const [origin, text] of Object.entries(files)) writeFileSync(join(path, `${origin}.zone`), text);
  const server = await freeServer();
  const origins = Object.keys(files);
  await named(path, server, namedConfig(path, server.port, origins), origins[0]);
  return server;
};

/** Asks all questions over UDP, a few at a time. */
const askOverUdp = async (
  { address, port }: Server,
  packets: readonly Buffer[],
): Promise<(Buffer | undefined)[]> => {
  const socket = createSocket("udp4");
  const waiting = new Map<number, (response: Buffer) => void>();
  socket.on("message", (bytes) => waiting.get(bytes.readUInt16BE(0))?.(bytes));
  const ask = async (packet: Buffer): Promise<Buffer | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    waiting.set(packet.readUInt16BE(0), resolve);
    for (let left = 3; left > 0; left -= 1) {
      socket.send(packet, port, address);
      const response = await Promise.race([promise, Bun.sleep(2000)]);
      if (response) return response;
    }
    return undefined;
  };
  const responses: (Buffer | undefined)[] = [];
  for (let at = 0; at < packets.length; at += AT_ONCE)
    responses.push(...(await Promise.all(packets.slice(at, at + AT_ONCE).map(ask))));
  socket.close();
  return responses;
};

const framed = (packet: Buffer): Buffer =>
  Buffer.concat([Buffer.from([packet.length >> 8, packet.length & 255]), packet]);

/** Asks all questions in one connection. */
const askOverTcp = async (
  { address, port }: Server,
  packets: readonly Buffer[],
): Promise<(Buffer | undefined)[]> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const responses = new Map<number, Buffer>();
  let stream = Buffer.alloc(0);
  const socket = connect(port, address, () => void socket.write(Buffer.concat(packets.map(framed))));
  socket.on("error", reject);
  socket.on("close", () => resolve());
  socket.on("data", (chunk: Buffer) => {
    stream = Buffer.concat([stream, chunk]);
    while (stream.length >= 2 && stream.length >= 2 + stream.readUInt16BE(0)) {
      const end = 2 + stream.readUInt16BE(0);
      responses.set(stream.readUInt16BE(2), stream.subarray(2, end));
      stream = stream.subarray(end);
    }
    if (responses.size === packets.length) socket.end();
  });
  await promise;
  return packets.map((packet) => responses.get(packet.readUInt16BE(0)));
};

/** The SOA records without their serial, which is the time of a start. */
const soasOf = (response: Buffer | undefined): string[] =>
  (response ? (decode(response).authorities ?? []) : []).flatMap((record) =>
    record.type === "SOA" ? [JSON.stringify({ ...record.data, serial: 0 }).toLowerCase()] : [],
  );

/** Names without case and records in one order: the rest must be the same. */
const settled = (response: Buffer | undefined) => {
  const { answers = [], authorities = [], additionals = [], ...rest } = read(response) ?? {};
  const sorted = (lines: string[]) => lines.map((line) => line.toLowerCase()).toSorted();
  return {
    ...rest,
    answers: sorted(answers),
    authorities: sorted(authorities),
    additionals: sorted(additionals),
    soas: soasOf(response),
    edns: response && (decode(response).additionals?.some(({ type }) => type === "OPT") ?? false),
  };
};

type Settled = ReturnType<typeof settled>;

/** RFC 8482: of ANY, BIND sends all record sets, and we send one. */
const isPartOf = (own: Settled, theirs: Settled): boolean =>
  own.rcode === theirs.rcode &&
  own.aa === theirs.aa &&
  own.answers.length > 0 === theirs.answers.length > 0 &&
  own.answers.every((line) => theirs.answers.includes(line));

const isSame = (own: Settled, theirs: Settled, { type }: Asked): boolean => {
  // BIND also sends the records that fit, which no resolver uses (RFC 2181 section 9), and all sets of ANY may not fit.
  if (theirs.tc && (own.tc || type === "ANY")) return own.rcode === theirs.rcode && own.aa === theirs.aa;
  return type === "ANY" ? isPartOf(own, theirs) : Bun.deepEquals(own, theirs);
};

const packetOf = ({ name, type, edns, recursive }: Asked, at: number, cookie?: Buffer): Buffer =>
  question(name, type, {
    id: at,
    flags: recursive ? 0x0100 : 0,
    ...(edns && { edns: cookie ? { cookie } : {} }),
  });

type Responses = readonly (Buffer | undefined)[];

const differencesOf = (asked: readonly Asked[], ours: Responses, theirs: Responses) =>
  asked.flatMap((one, index) => {
    const [own, other] = [settled(ours[index]), settled(theirs[index])];
    return isSame(own, other, one) ? [] : [{ asked: one, own, other }];
  });

/** A cookie that the server gives to this machine. */
const cookieFrom = async (server: Server): Promise<Buffer> => {
  const packet = question("parity.test", "A", { edns: { cookie: Buffer.from("01234567") } });
  const [response] = await askOverUdp(server, [packet]);
  return response?.subarray(-24) ?? Buffer.alloc(0);
};

/** Asks both servers over TCP and UDP. @returns the questions with different responses */
const compare = async (own: Server, bind: Server, asked: readonly Asked[]) => {
  const packets = asked.map((one, index) => packetOf(one, index));
  const whole = await askOverTcp(own, packets);
  const overTcp = differencesOf(asked, whole, await askOverTcp(bind, packets));
  const cookie = await cookieFrom(own);
  const proven = asked.map((one, index) => packetOf(one, index, cookie));
  const responses = await askOverUdp(own, proven);
  // Without a cookie, a response of more than three times its question is truncated, and BIND's is not.
  const isLimited = asked.map(
    ({ edns }, index) => !edns && (whole[index]?.length ?? 0) > 3 * (packets[index]?.length ?? 0),
  );
  const isLarge = (response: Buffer | undefined, index: number): boolean =>
    response === undefined || response.length > 3 * (packets[index]?.length ?? 0);
  const overUdp = differencesOf(asked, responses, await askOverUdp(bind, packets));
  return {
    overTcp,
    overUdp: overUdp.filter(({ asked: one }) => !isLimited[asked.indexOf(one)]),
    limited: isLimited.filter(Boolean).length,
    large: asked.filter((_, index) => isLimited[index] && isLarge(responses[index], index)),
  };
};

const SAME = { overTcp: [], overUdp: [], large: [] };

test("5,000 questions about random zones get the responses of BIND, over UDP and TCP", async () => {
  const place = directory();
  const random = seeded(20_260_917);
  const zones = randomZones(random);
  const files = Object.entries(zones).map(([origin, lines]) => [origin, zoneFileOf(origin, lines)] as const);
  const bind = await namedWith(join(place, "bind"), Object.fromEntries(files));
  const { respond } = testResponder(
    Object.entries(zones).map(([origin, lines]) => zoneOfLines(origin, lines)),
    // The limit of responses a second has separate tests.
    { limiter: { take: () => "answer" } },
  );
  const listener = await listenForDns("127.0.0.1", 0, respond);
  const own = { address: "127.0.0.1", port: listener.port };
  const owners = Object.values(zones)
    .flat()
    .map((line) => parseLine(line).name);
  const asked = Array.from({ length: QUESTIONS }, () => randomQuestion(random, owners));
  const { limited, ...differences } = await compare(own, bind, asked);
  listener.stop();
  expect(differences).toEqual(SAME);
  expect(limited).toBeLessThan(QUESTIONS / 10);
});

const PLATFORM = "sites.parity.test";
const TARGETS = "cname.other.test";

/** The records of the platform's zones: every name has the addresses of the service. */
const platformZone = (origin: string, addressed: string[], more: string[] = []): string => {
  const addresses = addressed.flatMap((name) => [
    `${name}. 300 IN A 203.0.113.10`,
    `${name}. 300 IN AAAA 2001:db8::10`,
  ]);
  return `${origin}. 3600 IN SOA ns1.${PLATFORM}. hostmaster.${origin}. 1 3600 600 1209600 60
${origin}. 3600 IN NS ns1.${PLATFORM}.
${origin}. 3600 IN NS ns2.parity.test.
${origin}. 3600 IN CAA 0 issue "ca.test"
${[...addresses, ...more].join("\n")}
`;
};

const askedOf = (random: Random, names: readonly string[], count: number): Asked[] =>
  Array.from({ length: count }, () => ({
    ...randomQuestion(random, names),
    // The limit of responses a second counts questions without a cookie.
    edns: true,
  }));

test("the executable's own zones get the responses of BIND", async () => {
  const place = directory();
  const bind = await namedWith(join(place, "bind"), {
    [PLATFORM]: platformZone(PLATFORM, [PLATFORM, `*.${PLATFORM}`, `ns1.${PLATFORM}`]),
    [TARGETS]: platformZone(TARGETS, [TARGETS, `*.${TARGETS}`]),
  });
  const { port } = await freeServer();
  const server = await serve({
    cwd: place,
    env: {
      PLATFORM_DOMAIN: PLATFORM,
      PLATFORM_CNAME_TARGET: TARGETS,
      NAMESERVER: `ns1.${PLATFORM},ns2.parity.test`,
      PUBLIC_ADDRESSES: "203.0.113.10,2001:db8::10",
      DNS_LISTEN_PORT: String(port),
      CAA_ISSUERS: "ca.test",
    },
  });
  const names = [
    PLATFORM,
    TARGETS,
    `docs.${PLATFORM}`,
    `ns1.${PLATFORM}`,
    `p1.${TARGETS}`,
    "ns2.parity.test",
  ];
  const asked = askedOf(seeded(7), names, 500);
  const { limited: _, ...differences } = await compare({ address: "127.0.0.1", port }, bind, asked);
  expect(differences).toEqual(SAME);
  expect(server.stdout()).toContain(
    `Name server on port ${port} (this machine only), for ${PLATFORM} and ${TARGETS}`,
  );
  expect(await server.stop()).toBe(0);
});

test("added texts and HTTPS records get the responses of BIND with their names, those above and below written out", async () => {
  const place = directory();
  const site = `docs.${PLATFORM}`;
  const challenge = `_acme-challenge.${site}`;
  const host = `_acme-challenge.x.ns1.${PLATFORM}`;
  const addressed = [PLATFORM, site, challenge].flatMap((name) => [name, `*.${name}`]);
  const bind = await namedWith(join(place, "bind"), {
    [PLATFORM]: platformZone(
      PLATFORM,
      [...addressed, `ns1.${PLATFORM}`],
      [
        `${challenge}. 1 IN TXT one`,
        `${challenge}. 1 IN TXT two`,
        `${host}. 1 IN TXT three`,
        `${site}. 300 IN HTTPS 1 . alpn="h2,http/1.1"`,
      ],
    ),
  });
  const texts = textRecords();
  const zones = platformZones(
    {
      platformDomain: PLATFORM,
      platformCnameTarget: `cname.${PLATFORM}`,
      nameserver: [`ns1.${PLATFORM}`, "ns2.parity.test"],
      addresses: ["203.0.113.10", "2001:db8::10"],
      caaIssuers: ["ca.test"],
    },
    { serial: 1, added: withHttpsRecords(texts.added, HTTP_PROTOCOLS, (name) => name === site) },
  );
  texts.add(challenge, "one");
  texts.add(challenge, "two");
  texts.add(host, "three");
  const { respond } = testResponder(zones, { limiter: { take: () => "answer" } });
  const listener = await listenForDns("127.0.0.1", 0, respond);
  const names = [PLATFORM, site, challenge, `www.${site}`, `a.${challenge}`, `x.ns1.${PLATFORM}`, host];
  const own = { address: "127.0.0.1", port: listener.port };
  const { limited: _, ...differences } = await compare(own, bind, askedOf(seeded(8), names, 500));
  listener.stop();
  expect(differences).toEqual(SAME);
});
