import { expect, test } from "bun:test";
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
const tests = [...new Glob("test/**/*.{ts,tsx}").scanSync(ROOT)].filter(
  (file) => !file.includes("node_modules"),
);
const imports = (await Promise.all(files.map(importsOf))).flat();

/**
 * The imports that a room may have in addition to its own files: the first row whose `from` matches applies, and the import must match one of
 * its `to`.
 */
const DIRECTIONS: { from: RegExp; to: RegExp[] }[] = [
  {
    from: /^src\/main\.ts$/,
    to: [/^src\/cli\/(run|heap)\.ts$/, /^src\/(app\/reader|workers\/argument)\.ts$/],
  },
  { from: /^src\/app\//, to: [/^src\/(?!cli\/|main\.ts)/, /^package\.json$/] },
  { from: /^src\/cli\//, to: [/^src\/(?!main\.ts|http\/|console\/)/] },
  { from: /^src\/lib\//, to: [] },
  { from: /^src\/protocols\//, to: [/^src\/lib\//] },
  { from: /^src\/db\//, to: [/^src\/lib\//, /^drizzle\/.+\.sql$/] },
  { from: /^src\/config\//, to: [/^src\/(lib|protocols\/dns)\//] },
  { from: /^src\/cluster\//, to: [/^src\/(db|lib|protocols\/s3)\//, /^package\.json$/] },
  { from: /^src\/data-dir\//, to: [/^src\/(cluster|config|db|lib|protocols\/s3)\//] },
  { from: /^src\/http\//, to: [/^src\/lib\//] },
  { from: /^src\/openapi\//, to: [/^src\/(http|lib)\//] },
  { from: /^src\/upgrade\//, to: [/^src\/(lib|service)\//] },
  { from: /^src\/workers\//, to: [/^src\/lib\//] },
  { from: /^src\/service\//, to: [/^src\/lib\//, /^src\/config\/setting\.ts$/] },
  { from: /^src\/edge\//, to: [/^src\/(http|lib|protocols\/tls)\//] },
  // It is published, so it imports nothing of this program.
  { from: /^src\/client\//, to: [] },
  // It is a client of the HTTP API in a browser, and writes the same CSV as `export`.
  { from: /^src\/console\/ui\//, to: [/^src\/client\//, /^src\/lib\/csv-writer\.ts$/] },
  // It runs in a browser, so it imports nothing of this program.
  { from: /^src\/manual\/ui\//, to: [] },
  // The generated parts of the manual describe every room.
  {
    from: /^src\/manual\/generated\//,
    to: [/^src\/(?!main\.ts|cli\/|app\/|console\/)/, /^src\/console\/sessions\.ts$/],
  },
  { from: /^src\/manual\//, to: [/^src\/(http|lib)\//] },
  { from: /^src\/console\/repository\.ts$/, to: [/^src\/(db|lib)\//] },
  { from: /^src\/console\//, to: [/^src\/(http|lib)\//, /^src\/people\/person\.ts$/] },
  // DATA_DIR holds the database, and the files of deploys next to it.
  {
    from: /^src\/backups\//,
    to: [/^src\/(data-dir|db|lib)\//, /^src\/deploys\/(blob-check|blobs|manifest)\.ts$/],
  },
  {
    from: /[/-](repository|queries|erasure)\.ts$/,
    to: [
      /^src\/(db|lib|protocols\/acme)\//,
      /^src\/(pets\/pet|projects\/plan|domains\/stage|dns-checks\/finding|certificates\/certificate)\.ts$/,
    ],
  },
  { from: /^src\/bulk\/export\.ts$/, to: [/^src\/(db|lib)\//, /^src\/pets\/pet\.ts$/] },
  // The rows of a file are checked as the bodies of POST /v1/pets are.
  { from: /^src\/bulk\//, to: [/^src\/lib\//, /^src\/pets\/(model|pet)\.ts$/] },
  { from: /^src\/domain-connect\//, to: [/^src\/(lib|protocols\/dns)\//] },
  { from: /^src\/nameserver\//, to: [/^src\/(lib|protocols\/dns-server)\//] },
  // The schema has the types of rows, such as a certificate and a domain.
  { from: /^src\/certificates\//, to: [/^src\/(http|lib|protocols\/(acme|dns)|db\/schema)\//] },
  { from: /^src\/dns-checks\//, to: [/^src\/(http|lib|protocols\/dns)\//] },
  { from: /^src\/dns-records\//, to: [/^src\/(http|lib|protocols\/dns|dns-checks)\//] },
  { from: /^src\/name-checks\//, to: [/^src\/(http|lib|dns-checks|dns-records)\//] },
  { from: /^src\/platform\//, to: [/^src\/(http|lib|dns-checks)\//] },
  {
    from: /^src\/domains\//,
    to: [
      /^src\/(http|lib|protocols\/dns|dns-checks|dns-records|db\/schema)\//,
      /^src\/projects\/(plan|service)\.ts$/,
    ],
  },
  { from: /^src\/deploys\//, to: [/^src\/(http|lib|protocols\/s3)\//, /^src\/projects\/service\.ts$/] },
  // A site consists of the files of a deploy, under names of a project.
  {
    from: /^src\/sites\//,
    to: [
      /^src\/(http|lib)\//,
      /^src\/domains\/stage\.ts$/,
      /^src\/deploys\/(rules\/.*|blob-check|blobs|manifest|site-root)\.ts$/,
    ],
  },
  { from: /^src\/(pets|categories|orders|keys|people|projects|audit|notices)\//, to: [/^src\/(http|lib)\//] },
];

/** The room of a file: `src/pets`, `src/protocols/dns`, `src/console/ui`. */
const roomOf = (file: string): string =>
  /^src\/(?:protocols\/[\w-]+|(?:console|manual)\/ui|[\w-]+)(?=\/)/.exec(file)?.[0] ?? file;

const isAllowed = ({ from, to }: Import): boolean => {
  if (!/^(src|drizzle)\/|^package\.json$/.test(to) || roomOf(from) === roomOf(to)) return true;
  const row = DIRECTIONS.find((direction) => direction.from.test(from));
  return row?.to.some((target) => target.test(to)) ?? false;
};

/** Which files may import a package. */
const PACKAGES: Record<string, RegExp> = {
  elysia: /^src\/(http|openapi|console)\/|[/-](endpoints|routes|model)\.ts$/,
  "@elysiajs/": /^src\/(http|openapi)\//,
  "@sinclair/typebox": /^src\/(http|openapi)\/|[/-]model\.ts$/,
  "drizzle-orm": /^src\/(cluster|db)\/|[/-](repository|queries|erasure)\.ts$|\/bulk\/export\.ts$/,
  "bun:sqlite": /^src\/(cluster|db)\//,
  commander: /^src\/cli\//,
  minisearch: /^src\/manual\/ui\//,
  "csv-parse": /^src\/(bulk\/csv-reader|lib\/domain-list)\.ts$/,
  pino: /^src\/lib\/log\.ts$/,
  jose: /^src\/protocols\/acme\//,
  "@peculiar/x509": /^src\/protocols\/acme\//,
  "@simplewebauthn/server": /^src\/people\/passkeys\.ts$/,
  "openid-client": /^src\/people\/oidc\.ts$/,
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
    from: /^src\/(?!console).*[/-](service|repository|queries|erasure)\.ts$/,
    to: /^src\/(http|openapi)\/|[/-](endpoints|routes|model)\.ts$/,
  },
  { from: /[/-](repository|queries|erasure)\.ts$/, to: /\/service\.ts$/ },
];

test("services and repositories know nothing of HTTP, and repositories nothing of services", () => {
  const breaches = imports.filter((one) =>
    LAYERS.some(({ from, to }) => from.test(one.from) && to.test(one.to)),
  );
  expect(breaches).toEqual([]);
});

test("an import that is not in the table is refused", () => {
  expect(isAllowed({ from: "src/pets/repository.ts", to: "src/keys/repository.ts" })).toBe(false);
  expect(isAllowed({ from: "src/pets/service.ts", to: "src/keys/service.ts" })).toBe(false);
  expect(isAllowed({ from: "src/lib/json.ts", to: "src/pets/model.ts" })).toBe(false);
});

/** The reasons for small files with one importer. A test that imports the file is a reason, too. */
const SMALL_FILES: [file: RegExp, reason: string][] = [
  [/^src\/cli\/heap\.ts$/, "it runs before the program is loaded"],
  [/^src\/client\/client\.ts$/, "index.ts only lists the exports of the published package"],
  [/^src\/db\/schema\//, "each file has the tables of one room"],
  [/[/-](endpoints|routes)\.ts$/, "only endpoints and routes use Elysia"],
  [/[/-]repository\.ts$/, "only repositories have SQL"],
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
      !file.startsWith("src/openapi/samples/") &&
      /process\.env|Bun\.env/.test(await Bun.file(join(ROOT, file)).text())
    )
      readers.push(file);
  expect(readers.toSorted()).toEqual(["src/cli/heap.ts", "src/config/config.ts", "src/config/sources.ts"]);
});

test("importing every module but main.ts does nothing: no output, no file, and the process ends by itself", async () => {
  const directory = temporaryDirectory();
  const modules = files
    .filter((file) => file !== "src/main.ts" && !/^src\/(console|manual)\/ui\//.test(file))
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
