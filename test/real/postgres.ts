import { chmodSync, chownSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Pair } from "../support/certificates.ts";
import { newDirectory, until } from "./programs.ts";

/** Where Debian has the newest PostgreSQL. */
const PROGRAMS = [...new Glob("*/bin").scanSync({ cwd: "/usr/lib/postgresql", onlyFiles: false, dot: false })]
  .toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))
  .map((path) => join("/usr/lib/postgresql", path))[0];
const program = (name: string): string => join(PROGRAMS ?? "/usr/lib/postgresql/15/bin", name);

/** What `real` needs for it. */
export const POSTGRES = [program("postgres"), "setpriv"];

export interface PostgresOptions {
  /** Lines of postgresql.conf. */
  settings?: string[];
  tls?: Pair;
  /** Where it listens. */
  host?: string;
  /** What its program is started with, such as `ip netns exec NAME`. */
  prefix?: string[];
}

export interface Postgres extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  readonly user: string;
  readonly password: string;
  readonly pid: () => number;
  /** For DATABASE_URL, as a role that owns the database `store` and nothing else. */
  url(log: string): string;
  /** As the superuser. @returns psql's output, unaligned */
  query(sql: string): Promise<string>;
  /** Adds or replaces lines of the configuration, and makes them effective. */
  configure(settings: string[]): Promise<void>;
  /** kill -9 of all its processes together, as when the machine fails. */
  kill(): Promise<void>;
  /** Starts it again with its data, after `kill`. */
  restart(): Promise<void>;
  /** SIGSTOP and SIGCONT of all its processes. */
  pause(): void;
  resume(): void;
  /** A standby that streams from it. Make it synchronous with `configure(["synchronous_standby_names = 'NAME'"])`. */
  standby(name: string, options?: PostgresOptions): Promise<Postgres>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
}

const PASSWORD = "pw%4 of:store";
const SUPERUSER = "postgres";

/** PostgreSQL refuses to run as root. */
const asUser = (): string[] =>
  process.getuid?.() === 0
    ? ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--pdeathsig", "QUIT"]
    : ["setpriv", "--pdeathsig", "QUIT"];

const giveAway = (path: string): void => {
  if (process.getuid?.() !== 0) return;
  const entry = readFileSync("/etc/passwd", "utf8").match(/^postgres:[^:]*:(\d+):(\d+):/m);
  if (!entry) throw new Error("there is no user named postgres");
  chownSync(path, Number(entry[1]), Number(entry[2]));
};

const run = async (command: string[], env: Record<string, string> = {}): Promise<string> => {
  const child = Bun.spawn([...asUser(), ...command], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, out, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  if (code !== 0) throw new Error(`${command[0]}: ${errors || out}`);
  return out.trimEnd();
};

const freePort = (): number => {
  using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return server.port;
};

/** The process and all below it. */
const tree = (pid: number): number[] => {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It ended meanwhile.
    }
  const below = (of: number): number[] => [
    of,
    ...[...parents].filter(([, parent]) => parent === of).flatMap(([child]) => below(child)),
  ];
  return below(pid);
};

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // It ended meanwhile.
    }
};

const configure = (data: string, settings: string[]): void =>
  writeFileSync(join(data, "test.conf"), `${settings.join("\n")}\n`);

interface Instance {
  place: string;
  data: string;
  port: number;
  options: PostgresOptions;
  settings: string[];
}

/** Starts the program on data that exists. */
const serve = async ({ place, data, port, options, settings }: Instance): Promise<Postgres> => {
  const { host = "127.0.0.1", prefix = [], tls } = options;
  const log = join(place, "log");
  const [cert, key] = [join(place, "cert.pem"), join(place, "key.pem")];
  if (tls) {
    for (const [file, content] of [
      [cert, tls.cert],
      [key, tls.key],
    ] as const) {
      writeFileSync(file, content, { mode: 0o600 });
      giveAway(file);
    }
  }
  let lines = [
    `listen_addresses = '${host}'`,
    `port = ${port}`,
    `unix_socket_directories = '${place}'`,
    "max_connections = 60",
    "shared_buffers = 32MB",
    ...(tls ? ["ssl = on", `ssl_cert_file = '${cert}'`, `ssl_key_file = '${key}'`] : []),
    ...settings,
    ...(options.settings ?? []),
  ];
  configure(data, lines);
  const command = [...prefix, ...asUser(), program("postgres"), "-D", data];
  const spawn = () =>
    Bun.spawn(command, {
      cwd: "/",
      env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" },
      stdin: "ignore",
      stdout: Bun.file(log),
      stderr: Bun.file(log),
    });
  const query = (sql: string, database = "store") =>
    run(
      [
        [program("psql"), "--no-psqlrc", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1"],
        ["--host", place, "--port", String(port), "--username", SUPERUSER],
        ["--dbname", database, "--command", sql],
      ].flat(),
    );
  const isUp = () =>
    query("SELECT 1", "postgres").then(
      () => true,
      () => false,
    );
  let child = spawn();
  const kill = async () => {
    // Stopped first, so that it starts no other child meanwhile.
    signal([child.pid], "SIGSTOP");
    signal(tree(child.pid).toReversed(), "SIGKILL");
    await child.exited;
  };
  const start = async () => {
    try {
      await until("PostgreSQL answers", async () => child.exitCode !== null || (await isUp()));
      if (child.exitCode !== null) throw new Error("PostgreSQL has ended");
    } catch (error) {
      await kill();
      const lines = readFileSync(log, "utf8");
      rmSync(place, { recursive: true });
      throw new Error(`${String(error)}\n${lines}`, { cause: error });
    }
  };
  await start();
  const postgres: Postgres = {
    address: `${host}:${port}`,
    user: "store",
    password: PASSWORD,
    pid: () => child.pid,
    url: (name) =>
      `postgres://store:${encodeURIComponent(PASSWORD)}@${host}:${port}/store?log=${encodeURIComponent(name)}`,
    query: (sql) => query(sql),
    async configure(more) {
      lines = [...lines, ...more];
      configure(data, lines);
      await query("SELECT pg_reload_conf()", "postgres");
    },
    kill,
    async restart() {
      child = spawn();
      await start();
    },
    pause: () => signal(tree(child.pid), "SIGSTOP"),
    resume: () => signal(tree(child.pid), "SIGCONT"),
    async standby(name, more = {}) {
      const copy = newDirectory();
      chmodSync(copy, 0o755);
      giveAway(copy);
      const path = join(copy, "data");
      const source = `host=${place} port=${port} user=${SUPERUSER} application_name=${name}`;
      await run([program("pg_basebackup"), "-D", path, "-R", "-X", "stream", "-c", "fast", "-d", source]);
      return serve({ place: copy, data: path, port: freePort(), options: more, settings: [] });
    },
    async promote() {
      await query("SELECT pg_promote(true, 30)", "postgres");
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(place, { recursive: true });
    },
  };
  return postgres;
};

/** A real PostgreSQL, as a user other than root. It ends with the tests. Clients need a password, also on loopback. */
export const startPostgres = async (options: PostgresOptions = {}): Promise<Postgres> => {
  const place = newDirectory();
  chmodSync(place, 0o755);
  giveAway(place);
  const data = join(place, "data");
  await run(
    [
      [program("initdb"), "-D", data, "-U", SUPERUSER, "--encoding", "UTF8", "--locale", "C"],
      ["--auth-local", "trust", "--auth-host", "scram-sha-256", "--no-sync"],
    ].flat(),
  );
  const main = join(data, "postgresql.conf");
  writeFileSync(main, `${readFileSync(main, "utf8")}\ninclude 'test.conf'\n`);
  const postgres = await serve({ place, data, port: freePort(), options, settings: [] });
  const socket = ["--host", place, "--port", postgres.address.split(":").at(-1) ?? ""];
  const psql = [program("psql"), "--no-psqlrc", "--quiet", ...socket, "--username", SUPERUSER];
  await run(
    [
      psql,
      ["--dbname", "postgres", "--command", `CREATE ROLE store LOGIN PASSWORD '${PASSWORD}'`],
      ["--command", "CREATE DATABASE store OWNER store"],
    ].flat(),
  );
  return postgres;
};
