import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import { packClient } from "../support/client-package.ts";
import { createStore } from "../support/new-store.ts";
import { freePort } from "./authorities.ts";
import { openBrowser, command, directory, launch, real, run, serve, type Server, store } from "./support.ts";

const ANIMALS = 100_000;
const POSTS = Number(process.env["CLIENT_POSTS"] ?? 400);
const POSTS_PER_LOSS = 40;
/** Holds a page of animals, but not 100,000 of them. */
const HEAP_MB = 24;

const SOURCES = join(import.meta.dir, "client");

const packages = directory();
let packed: Promise<string> | undefined;
const NODE = ["node", "npm"];

const inNode = real(...NODE);
const inChromium = real("chromium", "playwright-core");
const withCompiler = real("typescript");
/** How each engine runs a program with the package installed. */
const ENGINES = {
  node: { needed: NODE, argv: ["node", `--max-old-space-size=${HEAP_MB}`] },
  bun: { needed: [], argv: [process.execPath] },
} as const;

/** Installs the package into a directory, without a registry, and puts the programs next to it. */
const install = async (path: string, engine: keyof typeof ENGINES): Promise<void> => {
  const archive = await (packed ??= packClient(packages));
  await Bun.write(join(path, "package.json"), JSON.stringify({ name: "program", type: "module" }));
  const argv =
    engine === "node"
      ? ["npm", "install", "--offline", "--no-audit", "--no-fund", archive]
      : [process.execPath, "add", archive];
  const env = {
    HOME: path,
    npm_config_registry: "http://127.0.0.1:9/",
    BUN_CONFIG_REGISTRY: "http://127.0.0.1:9/",
  };
  const installed = await run(argv, { cwd: path, env });
  if (installed.code !== 0) throw new Error(`not installed: ${installed.stdout}${installed.stderr}`);
  cpSync(SOURCES, path, { recursive: true });
};

const environmentOf = (url: string, key: string) => ({ BASE_URL: url, API_KEY: key });

/** Runs a program to its end. @returns what it printed */
const runProgram = async (
  argv: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<unknown> => {
  const { code, stdout, stderr } = await run([...argv], { cwd, env });
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout);
};

const importAnimals = async (cwd: string): Promise<void> => {
  const rows = Array.from({ length: ANIMALS }, (_, index) => `Animal ${index},1\n`);
  await Bun.write(join(cwd, "animals.csv"), `name,categoryId\n${rows.join("")}`);
  await createStore(join(cwd, "data"));
  expect((await store(["import", "animals.csv"], { cwd })).code).toBe(0);
};

/** Adds animals and deletes imported ones until it is stopped. */
const disturb = (server: Server) => {
  const end = new AbortController();
  const deleted: number[] = [];
  const work = async () => {
    for (let id = 7; !end.signal.aborted; id += 997) {
      await server.add("Late");
      const response = await server.call(`/v1/pets/${(id % ANIMALS) + 1}`, { method: "DELETE" });
      if (response.status === 204) deleted.push((id % ANIMALS) + 1);
    }
  };
  const working = work();
  return {
    async stop() {
      end.abort();
      await working;
      return new Set(deleted);
    },
  };
};

interface Walk {
  count: number;
  twice: number;
  ranges: [first: number, last: number][];
  heapMb: number;
}

const missingFrom = ({ ranges }: Walk): number[] => {
  const seen = new Uint8Array(ANIMALS + 1);
  for (const [first, last] of ranges) seen.fill(1, first, last + 1);
  return Array.from({ length: ANIMALS }, (_, index) => index + 1).filter((id) => !seen[id]);
};

for (const [engine, { needed, argv }] of Object.entries(ENGINES))
  real(...needed)(
    `the client walks ${ANIMALS} animals under ${engine}, each once, also while animals come and go`,
    async () => {
      const place = directory();
      const program = directory();
      await install(program, engine as keyof typeof ENGINES);
      await importAnimals(place);
      const server = await serve({ cwd: place, env: { LOG_LEVEL: "silent" } });
      const walk = async () =>
        (await runProgram([...argv, "walk.mjs"], program, environmentOf(server.url, server.key))) as Walk;
      const start = performance.now();
      const quiet = await walk();
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      expect(quiet).toMatchObject({ count: ANIMALS, twice: 0, ranges: [[1, ANIMALS]] });
      const disturbance = disturb(server);
      const disturbed = await walk();
      const deleted = await disturbance.stop();
      expect(disturbed.twice).toBe(0);
      expect(missingFrom(disturbed).filter((id) => !deleted.has(id))).toEqual([]);
      expect(deleted.size).toBeGreaterThan(10);
      console.log(`    ${engine}: ${seconds} s, heap ${quiet.heapMb} MB, then ${deleted.size} came and went`);
    },
  );

/** What happens to the server when a response of it comes by. */
type OnResponse = () => "pass" | "lose";

/** Passes connections on to a port. `onResponse` may lose a response, and the connection with it. */
const proxyTo = async (port: number, onResponse: OnResponse) => {
  const pipe = (client: Socket) => {
    const server = connect(port, "127.0.0.1");
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end);
    client.on("data", (data) => server.write(data));
    server.on("data", (data) => {
      if (onResponse() === "lose") end();
      else client.write(data);
    });
  };
  const proxy = createServer(pipe).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port: own } = proxy.address() as { port: number };
  return { url: `http://127.0.0.1:${own}`, [Symbol.dispose]: () => void proxy.close() };
};

/** A server that is started again whenever it ends. */
const immortal = async (cwd: string) => {
  const flags = ["--port", String(freePort())];
  let current: ReturnType<typeof launch> | undefined;
  const end = new AbortController();
  let deaths = 0;
  const first = Promise.withResolvers<Server>();
  const living = (async () => {
    while (!end.signal.aborted) {
      current = launch({ cwd, flags, env: { LOG_LEVEL: "silent" } });
      const server = await current.listening();
      if (server) first.resolve(server);
      await current.exited;
      deaths++;
    }
  })();
  return {
    ...(await first.promise),
    kill: () => current?.kill(),
    deaths: () => deaths,
    async [Symbol.asyncDispose]() {
      end.abort();
      current?.kill();
      await living;
    },
  };
};

interface Posts {
  ids: Record<string, number>;
  retries: number;
  replayed: number;
}

const postWhileKilling = async (place: string, program: string): Promise<Posts & { deaths: number }> => {
  await using server = await immortal(place);
  let responses = 0;
  // Some responses are lost with the server that sent them: what they say has been done.
  using proxy = await proxyTo(server.port, () => {
    if (++responses % POSTS_PER_LOSS > 0) return "pass";
    server.kill();
    return "lose";
  });
  // Others die at a random moment.
  const timer = setInterval(() => Math.random() < 0.1 && server.kill(), 100);
  const env = { ...environmentOf(proxy.url, server.key), COUNT: String(POSTS) };
  try {
    const posts = (await runProgram(["node", "post.mjs"], program, env)) as Posts;
    return { ...posts, deaths: server.deaths() };
  } finally {
    clearInterval(timer);
  }
};

inNode(
  `${POSTS} animals are each added once though the server is killed in the middle of requests`,
  async () => {
    const place = directory();
    const program = directory();
    await install(program, "node");
    const { ids, retries, replayed, deaths } = await postWhileKilling(place, program);
    const names = new Map<number, string>();
    const still = await serve({ cwd: place });
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await still.call(`/v1/pets?limit=100${cursor && `&cursor=${cursor}`}`);
      for (const { id, name } of (await page.json()) as { id: number; name: string }[]) names.set(id, name);
      cursor = page.headers.get("next-cursor");
    }
    expect(Object.keys(ids).length).toBe(POSTS);
    expect(names).toEqual(
      new Map(
        Object.entries(ids)
          .map(([name, id]) => [id, name] as const)
          .toSorted(([one], [other]) => one - other),
      ),
    );
    expect(replayed).toBeGreaterThan(0);
    expect(deaths).toBeGreaterThanOrEqual(POSTS / POSTS_PER_LOSS);
    console.log(`    ${deaths} servers killed, ${retries} retries, ${replayed} responses replayed`);
  },
);

/** The second animal that was added had the category 1 then. */
const EXACT = [
  ...Array.from({ length: 5 }, () => "bigint 9223372036854775807"),
  "number 1",
  "bigint 9223372036854775807",
];

for (const [engine, { needed, argv }] of Object.entries(ENGINES))
  real(...needed)(`the client keeps 9223372036854775807 exact under ${engine}`, async () => {
    const program = directory();
    await install(program, engine as keyof typeof ENGINES);
    const server = await serve();
    const env = environmentOf(server.url, server.key);
    expect(await runProgram([...argv, "exact.mjs"], program, env)).toEqual(EXACT);
  });

/** Serves a page that imports the package, and the package. */
const pageOf = (path: string) => {
  const imports = { "adoption-store-client": "/node_modules/adoption-store-client/index.js" };
  const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
      if (pathname !== "/")
        return new Response(Bun.file(join(path, pathname)), {
          headers: { "content-type": "text/javascript" },
        });
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) };
};

inChromium("the client keeps 9223372036854775807 exact in Chromium", async () => {
  const program = directory();
  await install(program, "bun");
  const server = await serve({ env: { CORS_ORIGINS: "*" } });
  await using site = pageOf(program);
  const browser = await openBrowser();
  await browser.page.goto(site.url);
  const call = `import("/exact.mjs").then(({ exact }) => exact("${server.url}", "${server.key}"))`;
  expect(await browser.page.evaluate(call)).toEqual(EXACT);
});

/** How programs compile: as Node resolves modules, and as bundlers do. */
const COMPILERS = [
  { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022", "dom"] },
  { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"], exactOptionalPropertyTypes: true },
];

withCompiler("the declarations of the client compile, and refuse what the API does not have", async () => {
  const program = directory();
  await install(program, "bun");
  const calls = await Bun.file(join(import.meta.dir, "../client/calls.ts")).text();
  const own = calls.replace("../../src/client/index.ts", "adoption-store-client");
  await Bun.write(join(program, "calls.ts"), own);
  for (const options of COMPILERS) {
    const compilerOptions = { ...options, target: "es2022", strict: true, noEmit: true, types: [] };
    await Bun.write(join(program, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["calls.ts"] }));
    expect(await run([command("tsc"), "--project", "."], { cwd: program })).toMatchObject({
      code: 0,
      stdout: "",
    });
  }
});
