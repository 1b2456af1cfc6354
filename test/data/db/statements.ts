import { Database as Client } from "bun:sqlite";
import { join, relative } from "node:path";
import { Glob } from "bun";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { statements } from "../../../src/data/db/statement.ts";

const ROOT = join(import.meta.dir, "../../..");
const SOURCE = join(ROOT, "src");
const HELPER = join(SOURCE, "data/db/statement.ts");

/** Where the page of all statements is stored. */
export const PAGE = join(ROOT, "drizzle/statements.md");

export interface PlannedStatement {
  /** The file that defines it, below the root. */
  file: string;
  text: string;
  /** The steps of `EXPLAIN QUERY PLAN`. */
  plan: string[];
}

const IMPORT = /from "(\.[^"]+\.ts)"/g;

/** Loads a module after the modules that it imports, and calls `onLoad` after each. */
const loader = (onLoad: (path: string) => void) => {
  const loaded = new Set<string>();
  const load = async (path: string): Promise<void> => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const text = await Bun.file(path).text();
    for (const [, target = ""] of text.matchAll(IMPORT)) await load(join(path, "..", target));
    await import(path);
    onLoad(path);
  };
  return load;
};

/** All statements that modules define at their top level, in the order of the files. Run it in a separate process. */
export const plannedStatements = async (): Promise<PlannedStatement[]> => {
  using client = new Client(":memory:", { strict: true });
  migrate(client, migrations);
  const planned: PlannedStatement[] = [];
  const planOf = (text: string) =>
    client
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail);
  const load = loader((path) => {
    for (const { text } of statements.slice(planned.length))
      planned.push({ file: relative(ROOT, path), text, plan: planOf(text) });
  });
  for (const file of [...new Glob("**/*.ts").scanSync(SOURCE)].toSorted()) {
    const path = join(SOURCE, file);
    if (path !== HELPER && (await Bun.file(path).text()).includes('/statement.ts"')) await load(path);
  }
  return planned.toSorted((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)));
};

const HEAD = `# Statements

Every statement of the program, with the plan of SQLite for it on an empty database. \`bun run statements\` writes this page, and
\`test/data/db/plans.test.ts\` compares it with the program. Searches merge the index of words in further statements, which
\`test/store/pets/search.test.ts\` plans.
`;

const sectionOf = ({ text, plan }: PlannedStatement): string =>
  `\`\`\`sql\n${text}\n${plan.map((step) => `-- ${step}\n`).join("")}\`\`\`\n`;

export const pageOf = (planned: readonly PlannedStatement[]): string =>
  [
    HEAD,
    ...[...Map.groupBy(planned, ({ file }) => file)].flatMap(([file, those]) => [
      `## ${file}\n`,
      ...those.map(sectionOf),
    ]),
  ].join("\n");

if (import.meta.main) {
  const planned = await plannedStatements();
  if (process.argv.includes("--json")) console.log(JSON.stringify(planned));
  else await Bun.write(PAGE, pageOf(planned));
}
