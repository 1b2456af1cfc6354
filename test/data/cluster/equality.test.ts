import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Replica } from "../../../src/data/cluster/replica.ts";
import { character } from "../../support/characters.ts";
import { act, contentOf, memoryCluster } from "../../support/cluster.ts";
import { outcomeOf } from "../../support/outcome.ts";

const id = fc.nat({ max: 8 });
const text = fc.oneof(fc.string({ unit: character, maxLength: 8 }), fc.constantFrom("Bella", "Zoë", "b"));
const node = fc.nat({ max: 2 });

/** Writes that depend on the rows, on `changes()`, on triggers, and on ids that other writes take. */
const write = fc.oneof(
  fc.record({
    node,
    sql: fc.constant(
      "INSERT INTO pets (name, category_id, status, created_at) VALUES (?, ?, 'available', 0) RETURNING id",
    ),
    values: fc.tuple(text, fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
  }),
  fc.record({
    node,
    sql: fc.constant("UPDATE pets SET name = ?, revision = revision + 1 WHERE id >= ? RETURNING *"),
    values: fc.tuple(text, id),
  }),
  fc.record({ node, sql: fc.constant("DELETE FROM pets WHERE id = ?"), values: fc.tuple(id) }),
  fc.record({
    node,
    sql: fc.constant(
      "INSERT INTO categories (name, folded) VALUES (?1, ?1) ON CONFLICT DO NOTHING RETURNING id",
    ),
    values: fc.tuple(text),
  }),
  fc.record({
    node,
    sql: fc.constant(
      "INSERT INTO orders (pet_id, status, created_at, updated_at) SELECT id, 'placed', 0, 0 FROM pets WHERE id = ? RETURNING id",
    ),
    values: fc.tuple(id),
  }),
  fc.record({
    node,
    sql: fc.constant("UPDATE orders SET note = ? WHERE pet_id = ?"),
    values: fc.tuple(text, id),
  }),
);

/** What happens meanwhile: a response of the engine is lost, or a node is killed and starts again. */
const trouble = fc.constantFrom("none", "none", "none", "before", "after", "kill");

test("whatever three nodes write at the same time, and whatever is lost, their rows are equal, and so are those of a new node", async () => {
  const batch = fc.record({ trouble, writes: fc.array(write, { minLength: 1, maxLength: 8 }) });
  const run = async (
    batches: { trouble: string; writes: { node: number; sql: string; values: unknown[] }[] }[],
  ) => {
    const { engine, open, newFile } = await memoryCluster();
    const paths = [newFile(), newFile(), newFile()];
    const nodes: Replica[] = await Promise.all(paths.map(async (path) => open({ path })));
    for (const { trouble: what, writes } of batches) {
      if (what === "before" || what === "after") engine.losesNextAppend = what;
      const results = writes.map(async ({ node: at, sql, values }) =>
        outcomeOf(act((nodes[at] as Replica).database, sql, ...(values as string[]))),
      );
      // The killed node's connections stay open, as if it hung.
      if (what === "kill") nodes[0] = await open({ path: paths[0] as string });
      await Promise.all(results);
    }
    nodes.push(await open());
    await Promise.all(nodes.map(async ({ database }) => database.fresh()));
    const [first, ...others] = nodes.map(contentOf);
    for (const other of others) expect(other).toEqual(first ?? new Map());
    for (const { cluster } of nodes) expect(cluster.state().problem).toBeUndefined();
    await Promise.all(nodes.map(async ({ database }) => database.close()));
  };
  await fc.assert(fc.asyncProperty(fc.array(batch, { maxLength: 6 }), run), { numRuns: 30 });
}, 60_000);
