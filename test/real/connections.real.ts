import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import { publish } from "./site.ts";
import { serveHttps } from "./https.ts";
import { EXECUTABLE, directory, expectRefusal, real, run, serve, until } from "./support.ts";

const test = real();
const inShell = real("bash");
const withCurl = real("bash", "curl");

const FILES = 4096;
const FLOOD = 4300;
/** How many connections a client may have. */
const PER_CLIENT = 256;
/** Files that come and go by themselves. */
const MARGIN = 32;
/** How long others ask while the flood is there. */
const ASKING_MS = 4000;

const withFiles = (files: number) => ["bash", "-c", `ulimit -n ${files} && exec "$0" "$@"`, EXECUTABLE];

/** Connections from 127.0.0.1 that send this and nothing more. */
const openMany = async (port: number, count: number, text: string) => {
  let open = 0;
  const opening = Array.from({ length: count }, () =>
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open(socket) {
          open += 1;
          if (text !== "") socket.write(text);
        },
        data() {},
        close: () => void (open -= 1),
        error() {},
      },
    }),
  );
  const results = await Promise.allSettled(opening);
  const sockets = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  return {
    opened: sockets.length,
    open: () => open,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.terminate();
    },
  };
};

/** Sends a request over a new connection, as a second client. @returns the status; 000 without a response */
const askAs = (address: string, ...argv: string[]) =>
  run(
    ["curl", "--silent", "--interface", address, "--max-time", "5", "--output", "/dev/null"].concat(
      ["--write-out", "%{http_code}"],
      argv,
    ),
  ).then(({ stdout }) => stdout);

const FILES_OF_SITE = { "index.html": "<h1>Docs</h1>", "large.html": "x".repeat(300_000) };

for (const [what, text] of [
  ["silent connections", ""],
  ["half requests", "GET / HTTP/1.1\r\nX: "],
] as const)
  withCurl(`a client that opens ${FLOOD} ${what} keeps no other from HTTP, HTTPS and sites`, async () => {
    const server = await serveHttps({ argv: withFiles(FILES) });
    await publish(server, "site", { files: FILES_OF_SITE });
    const filesOf = () => readdirSync(`/proc/${server.pid}/fd`).length;
    const before = filesOf();
    using flood = await openMany(server.port, FLOOD, text);
    expect(flood.opened).toBeGreaterThan(FILES);
    const statuses = new Map<string, number>();
    const note = (name: string, status: string) =>
      statuses.set(`${name} ${status}`, (statuses.get(`${name} ${status}`) ?? 0) + 1);
    const site = ["--header", "Host: site.localhost"];
    for (const end = performance.now() + ASKING_MS; performance.now() < end;) {
      note("http", await askAs("127.0.0.2", `${server.url}/readyz`));
      note("https", await askAs("127.0.0.2", ...server.trust, `${server.httpsUrl}/livez`));
      note("site", await askAs("127.0.0.2", ...site, `${server.url}/`));
      note("large file", await askAs("127.0.0.2", ...site, `${server.url}/large`));
    }
    expect([...statuses.keys()].toSorted()).toEqual(["http 200", "https 200", "large file 200", "site 200"]);
    // Seen from the server: what has sent nothing waits in the kernel for seconds, and takes no file of the process.
    await until("the flood is within its limit", () => filesOf() <= before + PER_CLIENT + MARGIN, 15_000);
  });

inShell("a burst of connections that takes all files ends no server", async () => {
  const server = await serve({ argv: withFiles(1024) });
  using _burst = await openMany(server.port, FLOOD, "GET / HTTP/1.1\r\nX: ");
  const isReady = async () => (await server.call("/readyz").catch(() => {}))?.status === 200;
  await until("it is ready", isReady, 15_000);
});

inShell(
  "a server that may open too few files names the number that it needs, and works with that number",
  async () => {
    const place = directory();
    const flags = ["--workers", "4"];
    const refused = await run([...withFiles(40), "serve", "--port", "0", ...flags], { cwd: place });
    expectRefusal(refused, 1, /may open only 40 files: .+ to 76 or more/);
    const server = await serve({ cwd: place, argv: withFiles(76), flags });
    expect((await server.call("/readyz")).status).toBe(200);
    // The workers leave the advice to the first process.
    expect(server.stdout().match(/LimitNOFILE=/g)).toHaveLength(1);
    for (let count = 0; count < 100; count++) expect((await server.add("Bella")).status).toBe(201);
  },
);

inShell("a server that cannot listen does not advise more files", async () => {
  const place = directory();
  using taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const flags = ["--host", "127.0.0.1", "--port", String(taken.port)];
  const refused = await run([...withFiles(1024), "serve", ...flags], { cwd: place });
  expectRefusal(refused, 1, /EADDRINUSE|in use/);
});

test("with a trusted proxy, its connections have only the limit of all", async () => {
  const server = await serve({ env: { TRUST_PROXY: "1" } });
  using proxied = await openMany(server.port, 600, "GET / HTTP/1.1\r\nX: ");
  await Bun.sleep(1500);
  expect(proxied.open()).toBe(600);
});
