import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pair } from "../support/certificates.ts";
import { newDirectory, until } from "./programs.ts";

/** True once the kernel has stopped every thread of a process. */
const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((task) =>
    /^State:\tT/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, "utf8")),
  );

/** What `real` needs for it. */
export const ETCD = ["etcd", "setpriv"];

export interface EtcdOptions {
  /** Serve clients with TLS; `ca`, the root's PEM, makes certificates of clients mandatory. */
  tls?: Pair & { ca?: string };
  /** Where member `index` listens. */
  hostOf?: (index: number) => string;
  /** What each member's program is started with, such as `ip netns exec NAME`. */
  prefixOf?: (index: number) => string[];
  /** More options of etcd. */
  more?: string[];
}

const freePort = (hostname: string): number => {
  const server = Bun.serve({ port: 0, hostname, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  if (port === undefined) throw new Error("no port");
  return port;
};

/** Free on 127.0.0.1, if `host` is an address that does not exist here. */
const freePortFor = (host: string): number => {
  try {
    return freePort(host);
  } catch {
    return freePort("127.0.0.1");
  }
};

interface Plan {
  host: string;
  port: number;
  peer: string;
  name: string;
  path: string;
}

const argumentsOf = (
  { host, port, peer, name, path }: Plan,
  plans: readonly Plan[],
  { tls, more = [] }: EtcdOptions,
  certificates: string,
): string[] => {
  const client = `${tls ? "https" : "http"}://${host}:${port}`;
  return [
    ["etcd", "--name", name, "--data-dir", path, "--logger", "zap", "--log-level", "warn"],
    ["--listen-client-urls", client, "--advertise-client-urls", client],
    ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
    ["--initial-cluster", plans.map((plan) => `${plan.name}=${plan.peer}`).join(",")],
    ["--heartbeat-interval", "100", "--election-timeout", "600"],
    tls ? ["--cert-file", `${certificates}/cert.pem`, "--key-file", `${certificates}/key.pem`] : [],
    tls?.ca ? ["--client-cert-auth", "--trusted-ca-file", `${certificates}/ca.pem`] : [],
    more,
  ].flat();
};

/** Real etcd members, of `/usr/bin/etcd`, that elect a leader before this returns. They end with the tests. */
export const startEtcd = async (count: number, options: EtcdOptions = {}) => {
  const place = newDirectory();
  const { hostOf = () => "127.0.0.1", prefixOf = () => [], tls } = options;
  const plans = Array.from({ length: count }, (_, index): Plan => {
    const host = hostOf(index);
    const peer = `http://${host}:${freePortFor(host)}`;
    const [name, path] = [`m${index}`, join(place, `m${index}`)];
    return { host, port: freePortFor(host), peer, name, path };
  });
  for (const [name, content] of Object.entries({ cert: tls?.cert, key: tls?.key, ca: tls?.ca }))
    if (content) writeFileSync(join(place, `${name}.pem`), content, { mode: 0o600 });

  const members = plans.map((plan, index) => {
    mkdirSync(plan.path, { mode: 0o700 });
    const log = join(place, `${plan.name}.log`);
    const spawn = () =>
      Bun.spawn(
        ["setpriv", "--pdeathsig", "KILL", ...prefixOf(index), ...argumentsOf(plan, plans, options, place)],
        { stdin: "ignore", stdout: Bun.file(log), stderr: Bun.file(log) },
      );
    let child = spawn();
    return {
      /** Host and port for clients. */
      address: `${plan.host}:${plan.port}`,
      /** Where its data is. */
      path: plan.path,
      log,
      pid: () => child.pid,
      /** kill -9. */
      async kill() {
        child.kill("SIGKILL");
        await child.exited;
      },
      /** Starts it again with its data, after `kill`. */
      restart: async () => void (child = spawn()),
      /** SIGSTOP and SIGCONT. On a busy machine, threads of it respond for a moment after the signal. */
      pause: () => {
        child.kill("SIGSTOP");
        while (!isStopped(child.pid)) Bun.sleepSync(1);
      },
      resume: () => child.kill("SIGCONT"),
    };
  });

  /** Asked by curl, so that a member in a network namespace and one with client certificates can be asked too. */
  const ask = async (index: number, path: string): Promise<unknown> => {
    const files = { cert: join(place, "cert.pem"), key: join(place, "key.pem") };
    const secure = tls ? ["--insecure", ...(tls.ca ? ["--cert", files.cert, "--key", files.key] : [])] : [];
    const url = `${tls ? "https" : "http"}://${members[index]?.address}/v3/${path}`;
    const curl = ["curl", "--silent", "--max-time", "1", ...secure, "--data", "{}", url];
    const { stdout } = Bun.spawnSync([...prefixOf(index), ...curl]);
    return stdout.length > 0 ? JSON.parse(String(stdout)) : undefined;
  };

  const leader = async (): Promise<number> => {
    for (const index of members.keys()) {
      const status = (await ask(index, "maintenance/status")) as
        { leader?: string; header?: { member_id: string } } | undefined;
      if (status?.leader !== undefined && status.leader !== "0" && status.leader === status.header?.member_id)
        return index;
    }
    return -1;
  };

  const end = async () => {
    await Promise.all(members.map((member) => member.kill()));
    rmSync(place, { recursive: true });
  };
  try {
    await until("etcd has a leader", async () => (await leader()) >= 0);
  } catch (error) {
    const logs = members.map(({ log }) => readFileSync(log, "utf8")).join("\n");
    await end();
    throw new Error(`${String(error)}\n${logs}`, { cause: error });
  }
  return {
    members,
    /** All members, for DATABASE_URL. */
    url: (prefix: string) => `etcd://${members.map(({ address }) => address).join(",")}/${prefix}`,
    /** Which member is the leader, as those that respond say. */
    leader,
    [Symbol.asyncDispose]: end,
  };
};

export type Etcd = Awaited<ReturnType<typeof startEtcd>>;
export type EtcdMember = Etcd["members"][number];
