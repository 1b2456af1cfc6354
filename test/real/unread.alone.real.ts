import { expect } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { createTestCa } from "../support/certificates.ts";
import { publish } from "./site.ts";
import { freePort } from "./authorities.ts";
import { HOST, serveHttps } from "./https.ts";
import { directory, EXECUTABLE, real, run, serve, type Server, until } from "./support.ts";

const withPython = real("python3");
const withCurl = real("curl");
const withCurlAndPython = real("curl", "python3");
const inShell = real("bash", "curl");

const SITE = `site.${HOST}`;
const MEBIBYTE = 1024 * 1024;
const LARGE_BYTES = 50 * MEBIBYTE;
const PAGE = `<!doctype html><title>Pets</title>${"<p>Bella</p>".repeat(850)}`;
const CONNECTIONS = 200;
const STREAMS = 100;
/** The limit of responses in progress for one client. */
const PER_CLIENT = 256;
/** The client's socket, and both ends of the connection to the HTTP server. */
const FILES_PER_CONNECTION = 3;
/** Larger files of more responses in progress are not open. */
const READ_AHEAD = 64;
const STALL_MS = 30_000;
const MAX_GROWTH_MIB = 200;
/** The 99th percentile under attack, as a multiple of the previous one. */
const MAX_RATIO = 3;
/** On a busy machine one request of a hundred may take this long without any attack. */
const BUSY_MS = 50;
/** Other processes can delay single measurements. */
const MEASUREMENTS = 5;
/** How much later than after 30 s a busy machine may reset the responses. */
const BUSY_STALL_MS = 20_000;
/** The requests of the other client in each measurement. */
const PAGES = 300;
/** Later than the last reset, and than the next sweep of connections over HTTP/1.1. */
const SETTLE_MS = 6000;
/** Files that the server opens for a moment. */
const MARGIN = 32;

/** A server to attack. */
interface Target {
  port: number;
  pids(): number[];
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
const withChildren = (pid: number): number[] => [pid, ...childrenOf(pid)];
const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);
const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
const memoryOf = ({ pids }: Target): number => sum(pids().map(residentMiB));
const filesOf = ({ pids }: Target): number => sum(pids().map((pid) => readdirSync(`/proc/${pid}/fd`).length));

/** Requests a page many times over one connection, from another address than the attack. */
const latenciesOf = async (port: number) => {
  const { stdout } = await run(
    ["curl", "--silent", "--insecure", "--interface", "127.0.0.2", "--max-time", "10", "--fail-early"].concat(
      ["--resolve", `${SITE}:${port}:127.0.0.1`, "--write-out", "%{http_code} %{time_total}\n"],
      ["--output", "/dev/null", `https://${SITE}:${port}/?[1-${PAGES}]`],
    ),
  );
  const lines = stdout.split("\n").filter((line) => line.startsWith("200 "));
  const times = lines.map((line) => Number(line.split(" ")[1]) * 1000).toSorted((a, b) => a - b);
  const percentile = (share: number) => times[Math.floor(times.length * share)] ?? Number.POSITIVE_INFINITY;
  return { failed: PAGES - lines.length, p50: percentile(0.5), p99: percentile(0.99) };
};

/** The 99th percentile that an attack may cause. */
const maxP99 = (before: { p99: number }): number => Math.max(MAX_RATIO * before.p99, BUSY_MS);

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** The medians of several measurements, with the failed requests of all. */
const measureLatencies = async (port: number) => {
  const all = [];
  for (let count = 0; count < MEASUREMENTS; count++) all.push(await latenciesOf(port));
  return {
    failed: sum(all.map(({ failed }) => failed)),
    p50: median(all.map(({ p50 }) => p50)),
    p99: median(all.map(({ p99 }) => p99)),
  };
};

/** @param clients the number of addresses that share the connections */
const startAttack = async (port: number, connections: number, clients: number) => {
  const script = join(import.meta.dir, "unread-attack.ts");
  const counts = [String(connections), String(STREAMS), String(clients)];
  const argv = [process.execPath, script, String(port), SITE, "/big.bin", ...counts];
  const child = Bun.spawn(argv, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  expect((await lines.read()).value).toBe("ready\n");
  return {
    /** The attacker's counters. */
    async received() {
      void child.stdin.write("\n");
      await child.stdin.flush();
      return JSON.parse((await lines.read()).value ?? "") as Record<
        "closed" | "reset" | "responses" | "empty",
        number
      >;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
};

/** Starts the attack, and prints its effects on another client, on memory and on descriptors. */
const attackAndMeasure = async (name: string, target: Target, clients = 1) => {
  await latenciesOf(target.port);
  const before = {
    ...(await measureLatencies(target.port)),
    memory: memoryOf(target),
    files: filesOf(target),
  };
  const most = { memory: 0, files: 0 };
  const watch = setInterval(() => {
    most.memory = Math.max(most.memory, memoryOf(target));
    most.files = Math.max(most.files, filesOf(target));
  }, 100);
  const attack = await startAttack(target.port, CONNECTIONS, clients);
  const during = await measureLatencies(target.port);
  expect((await attack.received()).closed).toBe(0);
  const rounded = ({ p50, p99 }: typeof during) => `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
  console.log(
    `${name}, ${clients} address${clients === 1 ? "" : "es"}: before ${rounded(before)}, ${before.memory.toFixed()} MiB, ${before.files} files; under attack ${rounded(during)} (${(during.p99 / before.p99).toFixed(1)} times), ${most.memory.toFixed()} MiB, ${most.files} files, ${during.failed} failed requests`,
  );
  return {
    before,
    during,
    attack,
    /** The growth of memory and the number of descriptors so far. */
    most: () => ({ growth: most.memory - before.memory, files: most.files }),
    async [Symbol.asyncDispose]() {
      clearInterval(watch);
      await attack[Symbol.asyncDispose]();
    },
  };
};

/** Publishes a site with a page and a large file. */
const publishSite = (server: Server, largeBytes: number): Promise<string> =>
  publish(server, "site", { files: { "index.html": PAGE, "big.bin": "x".repeat(largeBytes) } });

const serveSite = async (place: string, argv: string[], largeBytes: number) => {
  const flags = ["--platform-domain", HOST];
  const server = await serveHttps({ cwd: place, names: [HOST, SITE], flags, argv });
  await publishSite(server, largeBytes);
  return server;
};

/** Where clients over HTTP/1.1 request the large file. */
interface Place {
  host: string;
  port: number;
  isTls: boolean;
}

/** Requests the large file over HTTP/1.1, and does not read. */
const requestUnread = ({ host, port, isTls }: Place) => {
  const options = { port, host: "127.0.0.1", servername: host, rejectUnauthorized: false };
  const request = () => socket.write(`GET /big.bin HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const socket: Socket = isTls ? connectTls(options, request) : connectTcp(options, request);
  socket.on("error", () => {}).pause();
  return {
    /** Reads the response, or until the server ends the connection. @returns the number of bytes */
    read(): Promise<number> {
      const { promise, resolve } = Promise.withResolvers<number>();
      let bytes = 0;
      socket.on("data", (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes > LARGE_BYTES) resolve(bytes);
      });
      socket.on("close", () => resolve(bytes));
      socket.resume();
      return promise;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
};

/** Longer than an unread response may take. */
const PATIENCE_SECONDS = 42;

/** Reads 60 kB/s of the large file in small steps. Prints the seconds after which the connection ended, or "open". */
const SLOW_READER = `
import socket, ssl, sys, time
host, port, is_tls, seconds = sys.argv[1:]
s = socket.create_connection(("127.0.0.1", int(port)))
if is_tls == "true":
    s = ssl._create_unverified_context().wrap_socket(s, server_hostname=host)
s.sendall(b"GET /big.bin HTTP/1.1\\r\\nHost: " + host.encode() + b"\\r\\n\\r\\n")
begin = time.monotonic()
try:
    while time.monotonic() - begin < float(seconds):
        if not s.recv(6000): raise OSError
        time.sleep(0.1)
    print("open")
except OSError:
    print("ended after %.1f s" % (time.monotonic() - begin))
`;

/** A client that reads slowly. @returns what it prints */
const readSlowly = async ({ host, port, isTls }: Place): Promise<string> => {
  const argv = ["python3", "-c", SLOW_READER, host, String(port), String(isTls), String(PATIENCE_SECONDS)];
  return (await run(argv)).stdout.trim();
};

/** Sends a body of 5,000 bytes in small steps, which takes longer than 30 s. @returns the status of the response */
const sendSlowly = async ({ url, key }: Server): Promise<number> => {
  const body = new TextEncoder().encode(JSON.stringify({ name: "Bella", categoryId: 3 }).padEnd(5000));
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = connectTcp(Number(new URL(url).port), "127.0.0.1").on("error", () => resolve(0));
  socket.on("data", (text) => resolve(Number(String(text).split(" ")[1]))).on("close", () => resolve(0));
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const STEPS = 32;
  for (let step = 0; step < STEPS; step++) {
    socket.write(body.subarray((step * body.length) / STEPS, ((step + 1) * body.length) / STEPS));
    await Bun.sleep(1000);
  }
  const status = await promise;
  socket.destroy();
  return status;
};

/** Sends a request over HTTP/2, but never its body. @returns the status of the response */
const announceBody = ({ httpsPort, key }: Server & { httpsPort: number }) => {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const options = {
    port: httpsPort,
    host: "127.0.0.1",
    // Not that of the attack, which needs the whole limit of its client.
    localAddress: "127.0.0.3",
    servername: HOST,
    ALPNProtocols: ["h2"],
    rejectUnauthorized: false,
  };
  const session = connectHttp2(`https://${HOST}`, { createConnection: () => connectTls(options) });
  session.on("error", () => {});
  session
    .request({
      ":method": "POST",
      ":path": "/v1/pets",
      ":authority": `${HOST}:${httpsPort}`,
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": "100",
    })
    .on("response", ({ ":status": status }) => resolve(status))
    .on("error", () => resolve(undefined));
  return { status: promise, [Symbol.dispose]: () => session.destroy() };
};

withCurlAndPython(
  "20,000 unread responses over HTTP/2 cost a bounded amount, delay no other client, and end after 30 s, and so does an incomplete request body, but not a slow reader",
  async () => {
    const at = directory();
    await using server = await serveSite(at, [EXECUTABLE], LARGE_BYTES);
    const place = { host: SITE, port: server.httpsPort, isTls: true };
    using unread = requestUnread(place);
    using unsent = announceBody(server);
    const slow = readSlowly(place);
    const target = { port: server.httpsPort, pids: () => withChildren(server.pid) };
    await using attacked = await attackAndMeasure("adoption-store", target);
    const { before, during, attack } = attacked;
    expect(during.failed).toBe(0);
    expect(during.p99).toBeLessThan(maxP99(before));
    expect((await server.call("/readyz")).status).toBe(200);
    // The log has it once a second.
    await until("the log has it", async () =>
      server.stdout().includes("beyond the limits of open responses"),
    );
    const isReset = async () => (await attack.received()).reset >= PER_CLIENT;
    await until("the responses over HTTP/2 are reset", isReset, STALL_MS + BUSY_STALL_MS);
    expect(attacked.most().growth).toBeLessThan(MAX_GROWTH_MIB);
    expect(attacked.most().files).toBeLessThan(
      before.files + FILES_PER_CONNECTION * CONNECTIONS + READ_AHEAD + MARGIN,
    );
    // PINGs still keep the connections open.
    expect((await attack.received()).closed).toBe(0);
    await Bun.sleep(SETTLE_MS);
    expect(await unread.read()).toBeLessThan(LARGE_BYTES);
    expect(await unsent.status).toBe(408);
    expect(await slow).toBe("open");
    expect(server.stdout()).toContain("responses over HTTP/2 that clients did not read were reset");
  },
);

withPython(
  "over plain HTTP, an unread response ends after 30 s, and neither a slow reader nor a slow request body is cut off",
  async () => {
    const server = await serve();
    await publishSite(server, LARGE_BYTES);
    const place = { host: "site.localhost", port: Number(new URL(server.url).port), isTls: false };
    using unread = requestUnread(place);
    const slow = await Promise.all([readSlowly(place), sendSlowly(server)]);
    expect(slow).toEqual(["open", 201]);
    expect(await unread.read()).toBeLessThan(LARGE_BYTES);
  },
);

withCurl(
  "the same attack from 64 addresses costs less than 200 MiB and fails no request of another client",
  async () => {
    const place = directory();
    await using server = await serveSite(place, [EXECUTABLE], LARGE_BYTES);
    const target = { port: server.httpsPort, pids: () => withChildren(server.pid) };
    await using attacked = await attackAndMeasure("adoption-store", target, 64);
    expect(attacked.during.failed).toBe(0);
    expect(attacked.during.p99).toBeLessThan(maxP99(attacked.before));
    expect(attacked.most().growth).toBeLessThan(MAX_GROWTH_MIB);
  },
);

inShell(
  "/readyz responds 503 while unread responses use the whole limit, and another client gets its pages",
  async () => {
    const place = directory();
    const argv = ["bash", "-c", `ulimit -n 512 && exec "$0" "$@"`, EXECUTABLE];
    await using server = await serveSite(place, argv, MEBIBYTE);
    await using _attack = await startAttack(server.httpsPort, 2, 1);
    await until("the limit is reached", async () => (await server.call("/readyz")).status === 503);
    expect(await latenciesOf(server.httpsPort)).toMatchObject({ failed: 0 });
  },
);

const CADDYFILE = (port: number, index: string) => `{
  admin off
  auto_https off
  http_port ${freePort()}
}
https://${SITE}:${port} {
  tls ${index}/cert ${index}/key
  root * ${index}/www
  file_server
}
`;
const NGINX = (
  port: number,
  index: string,
) => `daemon off; user root; worker_processes 2; pid ${index}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  server {
    listen ${port} ssl http2;
    ssl_certificate ${index}/cert;
    ssl_certificate_key ${index}/key;
    root ${index}/www;
  }
}
`;

for (const { name, config, argv } of [
  { name: "caddy", config: CADDYFILE, argv: ["caddy", "run", "--adapter", "caddyfile", "--config"] },
  { name: "nginx", config: NGINX, argv: ["nginx", "-c"] },
])
  real(
    "curl",
    "root",
    name,
  )(`the effect of the same attack on ${name} is printed`, async () => {
    const at = directory();
    const { issue } = await createTestCa();
    mkdirSync(join(at, "www"));
    const port = freePort();
    for (const [file, content] of Object.entries({
      ...(await issue([SITE])),
      "www/index.html": PAGE,
      "www/big.bin": "x".repeat(LARGE_BYTES),
      config: config(port, at),
    }))
      writeFileSync(join(at, file), content);
    const env = { PATH: process.env["PATH"] ?? "", HOME: at };
    const child = Bun.spawn([...argv, join(at, "config")], { env, stdout: "ignore", stderr: "ignore" });
    await using _stop = {
      async [Symbol.asyncDispose]() {
        child.kill();
        await child.exited;
      },
    };
    await until(`${name} responds`, async () => (await latenciesOf(port)).failed === 0);
    const target = { port, pids: () => withChildren(child.pid) };
    await using attacked = await attackAndMeasure(name, target);
    expect(attacked.before.failed).toBe(0);
    expect((await attacked.attack.received()).responses).toBeGreaterThan(0);
  });
