/**
 * Deletes each row of each state table in turn, in a copy of the tree, and runs tests of behaviour until one fails: a row
 * that no test misses is decoration. `bun run mutate:rows [table ...]`; exits with 1 if a row survived.
 */
import { join } from "node:path";
import { Glob } from "bun";
import ts from "typescript";
import { type Sandbox, withSandboxes } from "./sandbox.ts";

interface Table {
  module: string;
  /** The constant: an array of rows, or an object whose properties are its rows. */
  name: string;
  /** True if what is inside a row is tried as well. */
  isNested?: boolean;
  /** Files and directories, tried in this order. */
  tests: readonly string[];
  /** The table's own tests, which only repeat it. */
  own: readonly string[];
}

const DOMAINS = [
  "test/platform/domains/moves.test.ts",
  "test/platform/certificates",
  "test/platform/domains",
  "test/platform/sites",
];

const TABLES: readonly Table[] = [
  {
    module: "src/platform/domains/stage.ts",
    name: "TRANSITIONS",
    tests: DOMAINS,
    own: ["test/platform/domains/stage.test.ts", "test/platform/domains/progress.test.ts"],
  },
  {
    module: "src/platform/domains/stage.ts",
    name: "STAGE_PROPERTIES",
    isNested: true,
    tests: DOMAINS,
    own: ["test/platform/domains/stage.test.ts", "test/platform/domains/progress.test.ts"],
  },
  {
    module: "src/store/orders/order.ts",
    name: "TRANSITIONS",
    isNested: true,
    tests: ["test/store/orders"],
    own: ["test/store/orders/status.test.ts"],
  },
  {
    module: "src/platform/projects/plan.ts",
    name: "PLANS",
    tests: ["test/platform/projects", "test/platform/domains"],
    own: [],
  },
];

const ROOT = join(import.meta.dir, "../..");
const WORKERS = 2;
const MAX_MS = 120_000;

interface Row {
  table: Table;
  /** The source of the row, on one line. */
  text: string;
  /** The module without it. */
  module: string;
}

const isHolder = (node: ts.Node): node is ts.ArrayLiteralExpression | ts.ObjectLiteralExpression =>
  ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node);

/** The value below `as const`, `satisfies ...` and parentheses. */
const unwrap = (node: ts.Expression): ts.Expression =>
  ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? unwrap(node.expression)
    : node;

const elementsOf = (node: ts.Expression): readonly ts.Node[] => {
  const value = unwrap(node);
  if (!isHolder(value)) throw new Error("a table must be an array or an object");
  return ts.isArrayLiteralExpression(value) ? value.elements : value.properties;
};

/** What is in a row's own lists and objects, at every depth. */
const innerOf = (node: ts.Node): readonly ts.Node[] =>
  ts.isPropertyAssignment(node) && isHolder(unwrap(node.initializer))
    ? elementsOf(node.initializer).flatMap((inner) => [inner, ...innerOf(inner)])
    : [];

const tableIn = (source: ts.SourceFile, name: string): ts.Expression => {
  for (const statement of source.statements)
    if (ts.isVariableStatement(statement))
      for (const { name: declared, initializer } of statement.declarationList.declarations)
        if (declared.getText(source) === name && initializer) return initializer;
  throw new Error(`${source.fileName} has no ${name}`);
};

const rowsOf = (table: Table, text: string): Row[] => {
  const source = ts.createSourceFile(table.module, text, ts.ScriptTarget.Latest, true);
  const rows = elementsOf(tableIn(source, table.name));
  return rows
    .flatMap((row) => [row, ...(table.isNested ? innerOf(row) : [])])
    .map((node) => {
      const outer = node.parent.parent;
      const parent = ts.isPropertyAssignment(outer) ? `${outer.name.getText(source)}.` : "";
      const end = text[node.getEnd()] === "," ? node.getEnd() + 1 : node.getEnd();
      return {
        table,
        text: parent + node.getText(source).replaceAll(/\s+/g, " "),
        module: text.slice(0, node.getStart(source)) + text.slice(end),
      };
    });
};

const filesOf = ({ tests, own }: Table): string[] => {
  const files = tests.flatMap((path) =>
    path.endsWith(".ts") ? [path] : [...new Glob(`${path}/**/*.test.ts`).scanSync(ROOT)].toSorted(),
  );
  return [...new Set(files)].filter((file) => !own.includes(file));
};

/** The test that killed a row; undefined if the row survived. */
const findKiller = async (row: Row, copy: Sandbox): Promise<string | undefined> => {
  for (const file of filesOf(row.table)) {
    const {
      isPassed,
      failed: [failed],
    } = await copy.test(file, MAX_MS);
    // Bun reports a failed hook so: the set-up failed.
    if (!isPassed)
      return `${file}: ${failed === "(unnamed)" || !failed ? "the service does not start" : failed}`;
  }
  return undefined;
};

const tryRows = async (copy: Sandbox, queue: Iterator<Row>): Promise<Row[]> => {
  const survivors: Row[] = [];
  for (let next = queue.next(); !next.done; next = queue.next()) {
    const row = next.value;
    const { module } = row.table;
    const original = await copy.read(module);
    await copy.write(module, row.module);
    const killer = await findKiller(row, copy);
    await copy.write(module, original);
    if (killer === undefined) survivors.push(row);
    process.stdout.write(
      `${module} ${row.table.name} ${row.text}: ${killer === undefined ? "SURVIVED" : `killed by ${killer}`}\n`,
    );
  }
  return survivors;
};

const names = process.argv.slice(2);
const selected = TABLES.filter(({ name }) => names.length === 0 || names.includes(name));

process.exitCode = await withSandboxes(WORKERS, async (copies) => {
  const rows = await Promise.all(
    selected.map(async (table) => rowsOf(table, await Bun.file(join(ROOT, table.module)).text())),
  );
  const queue = rows.flat().values();
  const survivors = (await Promise.all(copies.map((copy) => tryRows(copy, queue)))).flat();
  process.stdout.write(`${rows.flat().length} rows, ${survivors.length} survived.\n`);
  return survivors.length > 0 ? 1 : 0;
});
