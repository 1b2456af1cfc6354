import { mkdirSync, writeFileSync } from "node:fs";
import { createSocket } from "node:dgram";
import { join } from "node:path";
import { question } from "../support/dns-questions.ts";
import { type Bench, freePort, serve, withServers } from "./bench.ts";
import { inTurn, medianOf, ratioOf } from "./contest.ts";
import { Refused } from "./options.ts";
import { cpuSeconds, launch, type Server } from "./processes.ts";
import { microseconds, perCore, ratio, section, whole } from "./table.ts";

const OURS = "adoption-store";
const BIND = "`named`, one thread";
const MODES = ["UDP", "TCP"];
const ZONE = "sites.bench.test";
const ADDRESSES = ["203.0.113.10", "2001:db8::10"];

/** Sites and targets by wildcard, names that exist, and absences. */
const QUESTIONS = Array.from({ length: 1000 }, (_, index) => [
  `site-${index}.${ZONE} A`,
  `site-${index}.${ZONE} AAAA`,
  `p${index}.cname.${ZONE} A`,
  `site-${index}.${ZONE} TXT`,
  `${ZONE} NS`,
]).flat();

/** The records that the executable makes of its settings. */
const ZONE_FILE = `@ 3600 IN SOA ns1.${ZONE}. hostmaster.${ZONE}. 1 3600 600 1209600 60
@ 3600 IN NS ns1.${ZONE}.
@ 3600 IN CAA 0 issue "letsencrypt.org"
${["@", "*", "cname", "*.cname", "ns1"].map((name) => `${name} 300 IN A ${ADDRESSES[0]}\n${name} 300 IN AAAA ${ADDRESSES[1]}`).join("\n")}
`;

/** As few threads as the executable has for this, and as few words in a response. */
const namedConf = (directory: string, port: number): string => `
  options {
    directory "${directory}"; pid-file none; lock-file none; session-keyfile "${directory}/session.key";
    listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
    recursion no; minimal-responses yes; empty-zones-enable no; dnssec-validation no;
  };
  controls { };
  zone "${ZONE}" { type primary; file "bench.zone"; };
`;

const startNamed = async ({ directory }: Bench, port: number): Promise<Server> => {
  const place = join(directory, "named");
  mkdirSync(place);
  writeFileSync(join(place, "bench.zone"), ZONE_FILE);
  writeFileSync(join(place, "named.conf"), namedConf(place, port));
  const child = launch(["named", "-4", "-f", "-n", "1", "-c", join(place, "named.conf")], {
    cwd: place,
    output: "ignore",
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { name: BIND, pid: child.pid, url: "", stop };
};

/** Asks until there is a response with a cookie: the server is up, and believes the cookie for an hour. */
const cookieFrom = async (port: number): Promise<string> => {
  const socket = createSocket("udp4");
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  socket.on("message", resolve);
  const packet = question(ZONE, "A", { edns: { cookie: Buffer.from("01234567") } });
  const asking = setInterval(() => socket.send(packet, port, "127.0.0.1"), 100);
  const response = await Promise.race([promise, Bun.sleep(10_000)]);
  clearInterval(asking);
  socket.close();
  if (!response) throw new Refused(`no name server answers at port ${port}`);
  const at = response.indexOf("01234567");
  return response.subarray(at, at + response.readUInt16BE(at - 2)).toString("hex");
};

/** What one run of dnsperf says, and what the server's CPU did meanwhile. */
const load = async (
  { directory, pace }: Bench,
  { pid }: Server,
  argv: string[],
): Promise<{ rate: number; cpu: number }> => {
  const before = cpuSeconds(pid);
  const child = launch(
    ["dnsperf", "-s", "127.0.0.1", "-d", join(directory, "questions"), "-l", String(pace.seconds), ...argv],
    { cwd: directory, output: "pipe" },
  );
  const text = await child.stdout.text();
  const cpu = cpuSeconds(pid) - before;
  const [, completed = "0"] = /Queries completed: +(\d+)/.exec(text) ?? [];
  const [, rate = "0"] = /Queries per second: +([\d.]+)/.exec(text) ?? [];
  if (Number(completed) === 0 || !/Response codes: +NOERROR \d+ \(100\.00%\)/.test(text))
    throw new Refused(`dnsperf failed:\n${text}`);
  return { rate: Number(rate), cpu: (cpu / Number(completed)) * 1e6 };
};

/** The name server compared with BIND with the same zone, over UDP with cookies and over TCP. */
export const nameserver = async (bench: Bench): Promise<string> => {
  writeFileSync(join(bench.directory, "questions"), QUESTIONS.join("\n"));
  const [port, bindPort] = [await freePort(), await freePort()];
  const ours = await serve(bench, bench.databases.make("nameserver", 0), {
    PLATFORM_DOMAIN: ZONE,
    NAMESERVER: `ns1.${ZONE}`,
    PUBLIC_ADDRESSES: ADDRESSES.join(","),
    DNS_LISTEN_PORT: String(port),
  });
  const servers = [
    { server: await startNamed(bench, bindPort), port: bindPort },
    { server: ours, port },
  ];
  const results = await withServers(
    servers.map(({ server }) => server),
    async () => {
      const cookies = await Promise.all(servers.map((one) => cookieFrom(one.port)));
      const contestants = MODES.flatMap((mode) =>
        servers.map((one, index) => ({
          name: `${one.server.name}, ${mode}`,
          server: one.server,
          argv: ["-p", String(one.port), "-E", `10:${cookies[index]}`, "-m", mode.toLowerCase()],
        })),
      );
      for (const { server, argv } of contestants) await load(bench, server, argv);
      return inTurn(contestants, bench.pace.rounds, ({ server, argv }) => load(bench, server, argv));
    },
  );
  const rows = MODES.flatMap((mode) =>
    [BIND, OURS].map((server) => {
      const [name, base] = [`${server}, ${mode}`, `${BIND}, ${mode}`];
      return [
        name,
        perCore(medianOf(results, name, "cpu")),
        whole(medianOf(results, name, "rate")),
        microseconds(medianOf(results, name, "cpu")),
        ratio(ratioOf(results, name, base, "rate")),
        ratio(ratioOf(results, name, base, "cpu")),
      ];
    }),
  );
  return section(
    "The name server: 5,000 questions about its own zone",
    "`dnsperf` with 100 questions at a time. Over UDP each has a cookie, because without one an address gets 100 responses a second.",
    [
      [
        "server",
        "responses/s per core",
        "responses/s",
        "CPU µs a response",
        "share of the rate",
        "times the CPU",
      ],
      ...rows,
    ],
  );
};
