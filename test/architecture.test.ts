import { expect, test } from "bun:test";
import { dirname, join, normalize, relative } from "node:path";
import { Glob } from "bun";
import { DISTRICTS, EXCEPTIONS, MAX_LINES, ROOMS, districtOf, roomOf } from "./districts.ts";
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
const tests = [...new Glob("test/**/*.{ts,tsx}").scanSync(ROOT)].filter(
  (file) => !file.includes("node_modules"),
);
const imports = (await Promise.all(files.map(importsOf))).flat();

const isAllowed = ({ from, to }: Import): boolean => {
  if (/^drizzle\/.+\.sql$/.test(to)) return from.startsWith("src/data/db/");
  if (to === "package.json") return /^src\/(lib|data\/cluster)\//.test(from);
  if (!to.startsWith("src/")) return true;
  const exception = EXCEPTIONS.find((one) => one.from.test(from));
  if (roomOf(from) === roomOf(to) && (!exception || exception.from.test(to))) return true;
  if (exception) return exception.to.some((target) => target.test(to));
  return districtOf(from) === districtOf(to)
    ? (ROOMS[roomOf(from)]?.includes(roomOf(to)) ?? false)
    : (DISTRICTS[districtOf(from)]?.includes(districtOf(to)) ?? false);
};

/** Which files may import a package. */
const PACKAGES: Record<string, RegExp> = {
  elysia: /^src\/(http|pages\/(openapi|console))\/|[/-](endpoints|routes|model|members)\.ts$/,
  "@elysiajs/": /^src\/(http|pages\/openapi)\//,
  "@sinclair/typebox": /^src\/(http|pages\/openapi)\/|[/-](model|members)\.ts$/,
  "drizzle-orm":
    /^src\/data\/(cluster|db)\/|[/-](repository|queries|erasure)\.ts$|\/import-export\/export\.ts$/,
  "bun:sqlite": /^src\/data\/(cluster|db)\//,
  commander: /^src\/cli\//,
  minisearch: /^src\/pages\/manual\/ui\//,
  "csv-parse": /^src\/(store\/import-export\/csv-reader|lib\/domain-list)\.ts$/,
  pino: /^src\/lib\/log\.ts$/,
  jose: /^src\/protocols\/acme\//,
  "@peculiar/x509": /^src\/protocols\/acme\//,
  "@simplewebauthn/server": /^src\/access\/people\/passkeys\.ts$/,
  "openid-client": /^src\/access\/people\/oidc\.ts$/,
};

test("imports go only where the table allows", () => {
  expect(imports.length).toBeGreaterThan(100);
  const refused = imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} -> ${to}`);
  expect(refused).toEqual([]);
});

test.each(Object.entries(PACKAGES))(
  "imports of %s are only in the files that may have them",
  (name, place) => {
    const users = imports.filter(
      ({ to }) => to === name || to.startsWith(name.endsWith("/") ? name : `${name}/`),
    );
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ from }) => !place.test(from))).toEqual([]);
  },
);

test("imports make no cycle", () => {
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

/** Inside a room too, HTTP stays in its endpoints, and SQL in its repository. */
const LAYERS: { from: RegExp; to: RegExp }[] = [
  {
    from: /^src\/(?!pages\/).*[/-](service|repository|queries|erasure)\.ts$/,
    to: /^src\/(http\/(?!scopes)|pages\/openapi\/)|[/-](endpoints|routes|model|members)\.ts$/,
  },
  {
    from: /^src\/(access|platform|store)\/(?!.*[/-](repository|queries|erasure)\.ts$|import-export\/export\.ts$)/,
    to: /^src\/data\/(?!context|db\/(actions|schema\/))/,
  },
  { from: /[/-](repository|queries|erasure)\.ts$/, to: /\/service\.ts$/ },
];

test("services and repositories know nothing of HTTP, and repositories nothing of services", () => {
  const breaches = imports.filter((one) =>
    LAYERS.some(({ from, to }) => from.test(one.from) && to.test(one.to)),
  );
  expect(breaches).toEqual([]);
});

test.each([
  ["between districts", "src/store/pets/repository.ts", "src/access/keys/repository.ts"],
  ["between rooms of a district", "src/store/pets/service.ts", "src/store/orders/service.ts"],
  ["from a lower district", "src/lib/json.ts", "src/store/pets/model.ts"],
  ["from a page in a browser", "src/pages/console/ui/app.tsx", "src/lib/errors.ts"],
])("an import %s that is not in the tables is refused", (_which, from, to) => {
  expect(isAllowed({ from, to })).toBe(false);
});

test("every row of the tables allows an import that exists, and no two districts import each other", () => {
  const edges = new Set(imports.map(({ from, to }) => `${districtOf(from)} -> ${districtOf(to)}`));
  const rows = Object.entries(DISTRICTS).flatMap(([from, targets]) => targets.map((to) => ({ from, to })));
  expect(rows.filter(({ from, to }) => !edges.has(`${from} -> ${to}`))).toEqual([]);
  expect(rows.filter(({ from, to }) => DISTRICTS[to]?.includes(from))).toEqual([]);
  const inner = new Set(imports.map(({ from, to }) => `${roomOf(from)} -> ${roomOf(to)}`));
  const rooms = Object.entries(ROOMS).flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`));
  expect(rooms.filter((edge) => !inner.has(edge))).toEqual([]);
});

/** The reasons for small files with one importer. A test that imports the file is a reason, too. */
const SMALL_FILES: [file: RegExp, reason: string][] = [
  [/^src\/cli\/heap\.ts$/, "it runs before the program is loaded"],
  [
    /^src\/(pages\/manual\/texts|data\/db\/migration-files)\.ts$/,
    "it is a macro, which Bun runs when it bundles the program",
  ],
  [/^src\/data\/db\/schema\//, "each file has the tables of one room"],
  [/[/-](endpoints|routes)\.ts$/, "only endpoints and routes use Elysia"],
];

test("a file of under 40 lines with one importer has a reason", async () => {
  const tested = new Set((await Promise.all(tests.map(importsOf))).flat().map(({ to }) => to));
  const importers = Map.groupBy(imports, ({ to }) => to);
  const small: string[] = [];
  for (const file of files) {
    if (new Set(importers.get(file)?.map(({ from }) => from)).size !== 1 || tested.has(file)) continue;
    if ((await Bun.file(join(ROOT, file)).text()).split("\n").length - 1 < 40) small.push(file);
  }
  expect(small.filter((file) => !SMALL_FILES.some(([listed]) => listed.test(file)))).toEqual([]);
  expect(SMALL_FILES.filter(([listed]) => !small.some((file) => listed.test(file)))).toEqual([]);
});

test("only config/ reads the environment, and heap.ts passes it to the program that it starts", async () => {
  const readers = [];
  for (const file of files)
    // The samples of the documents are programs for others.
    if (
      file !== "src/pages/openapi/samples.ts" &&
      /process\.env|Bun\.env/.test(await Bun.file(join(ROOT, file)).text())
    )
      readers.push(file);
  expect(readers.toSorted()).toEqual(["src/cli/heap.ts", "src/config/config.ts", "src/config/sources.ts"]);
});

test("importing every module but main.ts does nothing: no output, no file, and the process ends by itself", async () => {
  const directory = temporaryDirectory();
  const modules = files
    .filter((file) => file !== "src/main.ts" && !/^src\/pages\/(console|manual)\/ui\//.test(file))
    .map((file) => `import ${JSON.stringify(join(ROOT, file))};`);
  const script = join(directory, "all.ts");
  await Bun.write(script, modules.join("\n"));
  const run = Bun.spawn([process.execPath, script], { cwd: directory, stdout: "pipe", stderr: "pipe" });
  expect(await run.exited).toBe(0);
  expect(await new Response(run.stdout).text()).toBe("");
  expect(await new Response(run.stderr).text()).toBe("");
  expect([...new Glob("*").scanSync(directory)]).toEqual(["all.ts"]);
}, 60_000);

test("the top level has only known files and directories", () => {
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
    ".gitattributes",
    ".gitignore",
    ".oxlintrc.json",
    "LICENSE",
    ".editorconfig",
    ".github",
    "bun.lock",
  ];
  expect([...top].filter((name) => !known.includes(name ?? ""))).toEqual([]);
});

test("every export of src is used by another file, or is a table of the database", async () => {
  const all = [...new Glob("{src,test}/**/*.{ts,tsx}").scanSync(ROOT)].filter(
    (file) => !file.includes("node_modules"),
  );
  const texts = await Promise.all(
    all.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const),
  );
  const users = new Map<string, number>();
  for (const [, text] of texts)
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) users.set(word, (users.get(word) ?? 0) + 1);
  const unused = texts
    .filter(([file]) => file.startsWith("src/") && !/^src\/(client|data\/db\/schema)\//.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) ([\w$]+)/gm)]
        .filter(([, name = ""]) => users.get(name) === 1)
        .map(([, name]) => `${file}: ${name}`),
    );
  expect(unused).toEqual([]);
});

test("the table of files in a room's README names only files that exist", async () => {
  const missing: string[] = [];
  for (const readme of new Glob("src/**/README.md").scanSync(ROOT))
    for (const [, cell = ""] of (await Bun.file(join(ROOT, readme)).text()).matchAll(/^\| *(`[^|]*)\|/gm))
      for (const [, name = ""] of cell.matchAll(/`([\w*./-]+\.tsx?)`/g))
        if ([...new Glob(name).scanSync(join(ROOT, dirname(readme)))].length === 0)
          missing.push(`${readme}: ${name}`);
  expect(missing).toEqual([]);
});

test.each(["sql.raw", "dangerouslySetInnerHTML"])("no source uses %s", async (unsafe) => {
  const texts = await Promise.all(
    files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const),
  );
  expect(texts.filter(([, text]) => text.includes(unsafe)).map(([file]) => file)).toEqual([]);
});

test("a room has at most the lines of its budget, and every room has one", async () => {
  const lines: Record<string, number> = {};
  for (const file of files) {
    const text = await Bun.file(join(ROOT, file)).text();
    lines[roomOf(file)] = (lines[roomOf(file)] ?? 0) + text.split("\n").length - 1;
  }
  expect(Object.keys(MAX_LINES).toSorted()).toEqual(Object.keys(lines).toSorted());
  const beyond = Object.entries(lines)
    .filter(([room, count]) => count > (MAX_LINES[room] ?? 0))
    .map(
      ([room, count]) => `src/${room} has ${count} lines: raise MAX_LINES in test/districts.ts, or delete`,
    );
  expect(beyond).toEqual([]);
});
