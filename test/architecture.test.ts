import { describe, expect, test } from "bun:test";
import { join, normalize, relative } from "node:path";
import { Glob } from "bun";
import { temporaryDirectory } from "./support/store.ts";

const ROOT = join(import.meta.dir, "..");

interface Import {
  from: string;
  /** A path below the root, or a package's name. */
  to: string;
}

const IMPORT = /^(?:import|export)\s[^;]*?from\s+"([^"]+)"|\b(?:import|require)\s*\(?\s*"([^"]+)"/gm;

const importsOf = async (file: string): Promise<Import[]> => {
  const text = await Bun.file(join(ROOT, file)).text();
  return [...text.matchAll(IMPORT)].map(([, named, bare]) => {
    const target = named ?? bare ?? "";
    return { from: file, to: target.startsWith(".") ? normalize(join(file, "..", target)) : target };
  });
};

const files = [...new Glob("src/**/*.{ts,tsx}").scanSync(ROOT)]
  .filter((file) => !file.endsWith(".d.ts"))
  .toSorted();
const imports = (await Promise.all(files.map(importsOf))).flat();

/** Who may import whom: for files that match `from`, every import must match one of `to`. The first row that fits counts. */
const DIRECTIONS: { from: RegExp; to: RegExp[] }[] = [
  { from: /^src\/main\.ts$/, to: [/^src\/cli\/(run|heap)\.ts$/] },
  {
    from: /^src\/cli\//,
    to: [
      /^src\/(cli|backups|bulk|config|keys|orders|projects|domains|http|db|edge)\//,
      /^src\/(wire(-\w+)?|server|data|directory|durable|filesystem|time)\.ts$/,
      /^src\/pets\/pet\.ts$/,
      // What a site must hold: said before it is uploaded.
      /^src\/deploys\/root\.ts$/,
    ],
  },
  {
    from: /^src\/data\.ts$/,
    to: [/^src\/config\/config\.ts$/, /^src\/db\//, /^src\/(directory|durable|filesystem|ownership)\.ts$/],
  },
  {
    from: /^src\/server-lock\.ts$/,
    to: [/^src\/data\.ts$/, /^src\/config\/remembered\.ts$/, /^src\/db\/(exclusive|lock)\.ts$/],
  },
  { from: /^src\/filesystem\.ts$/, to: [/^src\/db\/(explain|failure)\.ts$/, /^src\/directory\.ts$/] },
  { from: /^src\/durable\.ts$/, to: [/^src\/ownership\.ts$/] },
  { from: /^src\/(?:wire(?:-\w+)?|server)\.ts$/, to: [/^src\//, /^package\.json$/] },
  {
    from: /^src\/config\//,
    to: [
      /^src\/config\//,
      /^src\/http\/logging\.ts$/,
      /^src\/domains\/dns\/settings\.ts$/,
      /^src\/durable\.ts$/,
    ],
  },
  { from: /^src\/(page|time)\.ts$/, to: [/^src\/http\/faults\.ts$/] },
  { from: /^src\/db\//, to: [/^src\/db\//, /^src\/ownership\.ts$/, /^drizzle\/.+\.sql$/] },
  // What DATA_DIR holds: the database, and the files of deploys beside it.
  {
    from: /^src\/backups\//,
    to: [
      /^src\/(backups|db)\//,
      /^src\/deploys\/(blobs|manifest|sound)\.ts$/,
      /^src\/(data|directory|durable|filesystem|ownership|server-lock|time)\.ts$/,
    ],
  },
  { from: /^src\/edge\//, to: [/^src\/edge\//, /^src\/http\//] },
  // What all rooms' schemas share: no room is known there.
  { from: /^src\/http\/schemas\.ts$/, to: [/^src\/http\//, /^src\/time\.ts$/] },
  { from: /^src\/http\/faults\.ts$/, to: [/^src\/db\/failure\.ts$/, /^src\/http\/open-files\.ts$/] },
  // An answer is kept in the transaction of what it answers.
  { from: /^src\/http\/idempotency\.ts$/, to: [/^src\/http\//, /^src\/db\/answers\.ts$/] },
  // The frame and the shared macros know keys; nothing else of http/ knows a room.
  { from: /^src\/http\/shared\.ts$/, to: [/^src\/http\//, /^src\/keys\/guard\.ts$/] },
  { from: /^src\/http\/frame\.ts$/, to: [/^src\/http\//, /^src\/keys\/repository\.ts$/] },
  { from: /^src\/http\//, to: [/^src\/http\//] },
  // Files of animals: held against what the API asks of one.
  { from: /^src\/bulk\/repository\.ts$/, to: [/^src\/(bulk|db)\//, /^src\/pets\/pet\.ts$/] },
  {
    from: /^src\/bulk\//,
    to: [
      /^src\/bulk\//,
      /^src\/http\/(checker|faults|json)\.ts$/,
      /^src\/pets\/(model|pet)\.ts$/,
      /^src\/durable\.ts$/,
    ],
  },
  {
    from: /^src\/(\w+)\/(?:(?:certificates|events)\/)?(?:repository|queries)\.ts$/,
    to: [/^src\/db\//, /^src\/$1\//],
  },
  {
    from: /^src\/(deploys|domains|sites)\//,
    to: [
      /^src\/$1\//,
      /^src\/http\//,
      /^src\/projects\/(repository|service)\.ts$/,
      /^src\/keys\/guard\.ts$/,
      /^src\/(durable|ownership|page|time)\.ts$/,
      // Sites are what deploys brought.
      /^src\/deploys\/(blobs|challenge-directory|manifest|sound|stored|variants)\.ts$/,
    ],
  },
  {
    from: /^src\/(\w+)\/service\.ts$/,
    to: [/^src\/$1\/(?!routes|model)/, /^src\/http\/faults\.ts$/, /^src\/(page|time)\.ts$/],
  },
  // A page for browsers, a client of the HTTP API: nothing of this program is in it.
  { from: /^src\/console\/ui\//, to: [/^src\/console\/ui\//] },
  { from: /^src\/console\//, to: [/^src\/console\/(?!ui)/, /^src\/http\//, /^src\/time\.ts$/] },
  { from: /^src\/(\w+)\/guard\.ts$/, to: [/^src\/$1\//, /^src\/http\/(faults|limits)\.ts$/] },
  {
    from: /^src\/(\w+)\//,
    to: [/^src\/$1\//, /^src\/http\//, /^src\/keys\/guard\.ts$/, /^src\/(page|time)\.ts$/],
  },
];

const allowed = ({ from, to }: Import): boolean => {
  if (!/^(src|drizzle)\/|^package\.json$/.test(to)) return true;
  const row = DIRECTIONS.find((direction) => direction.from.test(from));
  const room = row?.from.exec(from)?.[1] ?? "";
  return row?.to.some((target) => new RegExp(target.source.replaceAll("$1", room)).test(to)) ?? false;
};

/** Which files may import a package. */
const PACKAGES: Record<string, RegExp> = {
  elysia: /^src\/(http|console)\/|\/(routes|model|guard)\.ts$/,
  "@elysiajs/": /^src\/(http|console)\/|\/guard\.ts$/,
  "@sinclair/typebox": /^src\/http\/|\/model\.ts$/,
  "drizzle-orm": /^src\/db\/|\/(repository|queries)\.ts$/,
  "bun:sqlite": /^src\/db\//,
  commander: /^src\/cli\//,
  "csv-parse": /^src\/bulk\/csv\.ts$/,
  pino: /^src\/http\/logging\.ts$/,
  jose: /^src\/domains\/acme\//,
  "@peculiar/x509": /^src\/domains\/acme\//,
};

describe("imports", () => {
  test("go only in the directions of the map", () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter((one) => !allowed(one))).toEqual([]);
  });

  test.each(Object.entries(PACKAGES))("of %s are in its own places only", (name, place) => {
    const users = imports.filter(
      ({ to }) => to === name || to.startsWith(name.endsWith("/") ? name : `${name}/`),
    );
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ from }) => !place.test(from))).toEqual([]);
  });

  test("make no cycle", () => {
    const graph = Map.groupBy(imports, ({ from }) => from);
    const done = new Set<string>();
    const visit = (file: string, path: string[]): string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return undefined;
      for (const { to } of graph.get(file) ?? []) {
        const cycle = visit(to, [...path, file]);
        if (cycle) return cycle;
      }
      done.add(file);
      return undefined;
    };
    expect(files.map((file) => visit(file, [])).filter(Boolean)).toEqual([]);
  });
});

test("a direction that is not on the map is refused", () => {
  expect(allowed({ from: "src/pets/service.ts", to: "src/pets/routes.ts" })).toBe(false);
  expect(allowed({ from: "src/pets/repository.ts", to: "src/keys/repository.ts" })).toBe(false);
  expect(allowed({ from: "src/pets/service.ts", to: "src/keys/service.ts" })).toBe(false);
  expect(allowed({ from: "src/http/json.ts", to: "src/pets/model.ts" })).toBe(false);
});

test("only config/config.ts reads the environment; heap.ts hands it on to the program it starts", async () => {
  const readers = [];
  for (const file of files)
    if (/process\.env|Bun\.env/.test(await Bun.file(join(ROOT, file)).text())) readers.push(file);
  expect(readers.toSorted()).toEqual(["src/cli/heap.ts", "src/config/config.ts"]);
});

test("importing every module but main.ts does nothing: no output, no file, and the process ends by itself", async () => {
  const directory = temporaryDirectory();
  const modules = files
    .filter((file) => file !== "src/main.ts" && !file.startsWith("src/console/ui/"))
    .map((file) => `import ${JSON.stringify(join(ROOT, file))};`);
  const script = join(directory, "all.ts");
  await Bun.write(script, modules.join("\n"));
  const run = Bun.spawn([process.execPath, script], { cwd: directory, stdout: "pipe", stderr: "pipe" });
  expect(await run.exited).toBe(0);
  expect(await new Response(run.stdout).text()).toBe("");
  expect(await new Response(run.stderr).text()).toBe("");
  expect([...new Glob("*").scanSync(directory)]).toEqual(["all.ts"]);
});

test("the top level holds what the design names, and what tools insist on", () => {
  const listing = Bun.spawnSync(["git", "ls-files"], { cwd: ROOT }).stdout.toString().trim();
  if (listing === "") return;
  const top = new Set(listing.split("\n").map((file) => relative(".", file).split("/")[0]));
  const known = [
    "src",
    "test",
    "drizzle",
    "bunfig.toml",
    "package.json",
    "tsconfig.json",
    "README.md",
    ".ci",
    ".gitignore",
    ".oxlintrc.json",
    "LICENSE",
    "bun.lock",
  ];
  expect([...top].filter((name) => !known.includes(name ?? ""))).toEqual([]);
});
