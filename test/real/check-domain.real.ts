import { expect } from "bun:test";
import { join } from "node:path";
import { decode } from "dns-packet";
import { ISSUER, TARGETS, zonesOf } from "../platform/dns-checks/cases.ts";
import { dnsServer, type Behaviour } from "../support/dns.ts";
import { freeServers, NEEDED, namesOf, nameServers, SILENT_ADDRESS } from "./dns-servers.ts";
import { directory, real, run, store } from "./support.ts";

const withDig = real("dig");
const withNameServers = real(...NEEDED, "dig");

interface Question {
  name: string;
  type: string;
  outcome: string;
  records: string[];
  transport: string;
  command?: string;
}

interface Check {
  verdict: string;
  trace: { questions: Question[] };
}

const check = async (env: Record<string, string>, ...argv: string[]) => {
  const { code, stdout, stderr } = await store(["domains", "check", ...argv, "--json"], { env });
  expect(stderr).toBe("");
  return { code, ...(JSON.parse(stdout) as Check) };
};

/** Runs a command as a person would: in a shell. */
const inShell = (command: string) => run(["sh", "-c", command]);

/** The response code and the answer section, as dig prints them. */
const readDig = (output: string) => ({
  outcome: /status: (\w+)/.exec(output)?.[1],
  records: (/;; ANSWER SECTION:\n((?:[^\n]+\n)*)/.exec(output)?.[1] ?? "").split("\n").filter(Boolean),
});

/** `name type data` of a record, without its TTL, quotes and final dots. */
const comparable = (line: string): string => {
  const [name = "", , , type = "", ...data] = line.replaceAll(/\s+/g, " ").split(" ");
  const text = data.join(" ").replaceAll(/"/g, "").replace(/\.$/, "");
  return `${name.replace(/\.$/, "")} ${type} ${text}`.toLowerCase();
};

const compare = ({ outcome, records }: { outcome: string | undefined; records: string[] }) => ({
  outcome,
  records: records.map(comparable).toSorted(),
});

withNameServers(
  "domains check and verification agree on named's zones, and dig gets the same responses",
  async () => {
    const place = directory();
    const servers = await freeServers();
    const env = {
      DATA_DIR: join(place, "data"),
      DNS_RESOLVERS: namesOf(servers).resolver,
      DNS_PORT: String(servers.authority.port),
      DNS_PRIVATE: "yes",
      CAA_ISSUERS: ISSUER,
      PLATFORM_CNAME_TARGET: "pages.test",
    };
    await nameServers(zonesOf(TARGETS, SILENT_ADDRESS), servers);
    for (const [name, target, code, verdict] of [
      ["right.example.test", TARGETS.usual, 0, "right"],
      ["docs.example.test", TARGETS.usual, 1, "missing"],
      ["blocked.example.test", TARGETS.usual, 1, "wrong"],
      ["docs.strict.example.test", TARGETS.usual, 1, "blocked"],
      ["flat.test", TARGETS.usual, 0, "right"],
      ["free.example.test", undefined, 0, "free"],
      ["blocked6.example.test", undefined, 1, "in_use"],
      ["wrong.example.test", undefined, 0, "points_here"],
      ["docs.silent.test", undefined, 3, "unknown"],
    ] as const) {
      const argv = target === undefined ? [name] : [name, "--target", target];
      const { trace, ...found } = await check(env, ...argv);
      expect({ name, ...found }).toMatchObject({ name, code, verdict });
      const answered = trace.questions.filter(({ outcome }) => /^[A-Z]+$/.test(outcome));
      for (const { command = "", outcome, records, transport } of answered) {
        expect(command).toMatch(/^dig @127\.0\.0\.\d /);
        expect(command.includes("+tcp")).toBe(transport === "tcp");
        const { stdout } = await inShell(command);
        expect({ command, ...compare(readDig(stdout)) }).toEqual({
          command,
          ...compare({ outcome, records }),
        });
      }
    }
  },
);

/** What a query asks, beyond its id. */
const essence = (bytes: Buffer) => {
  const { flags, questions, additionals } = decode(bytes);
  return {
    flags,
    questions,
    edns: additionals?.map((one) =>
      one.type === "OPT" ? { size: one.udpPayloadSize, flags: one.flags, options: one.options } : one,
    ),
  };
};

withDig("dig sends the queries that the check sent, bit for bit but their ids", async () => {
  const place = directory();
  using server = await dnsServer({ zones: zonesOf(TARGETS) });
  const queries: Buffer[] = [];
  const keep: Behaviour = (packet, query) => {
    queries.push(query);
    return [packet];
  };
  server.behaviours.set("*", keep);
  const { port } = server.server;
  const env = {
    DATA_DIR: join(place, "data"),
    DNS_RESOLVERS: `127.0.0.1:${port}`,
    DNS_PORT: String(port),
    DNS_PRIVATE: "yes",
  };
  const { trace } = await check(env, "right.example.test");
  const sent = queries.splice(0).map(essence);
  const commands = trace.questions.map(({ command }) => command ?? "");
  expect(commands.length).toBe(sent.length);
  for (const command of commands) await inShell(command);
  const text = (list: ReturnType<typeof essence>[]) => list.map((one) => JSON.stringify(one)).toSorted();
  expect(text(queries.map(essence))).toEqual(text(sent));
});
