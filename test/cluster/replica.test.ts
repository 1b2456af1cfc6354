import { expect, test } from "bun:test";
import { contentOf, memoryCluster } from "../support/cluster.ts";
import type { Replica } from "../../src/cluster/replica.ts";

const add = async ({ database }: Replica, name: string) =>
  database.commit([
    {
      query: {
        all: () =>
          database.client
            .query<{ id: number }, [string]>(
              "INSERT INTO pets (name, category_id, status, created_at) VALUES (?, 1, NULL, 0) RETURNING id",
            )
            .all(name),
      },
      values: {},
    },
  ]);

const names = ({ database }: Replica) =>
  database.client.query("SELECT name FROM pets ORDER BY id").values().flat();

test("what one node writes, the others read", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  await add(a, "Bella");
  await b.database.fresh();
  expect(names(b)).toEqual(["Bella"]);
});
test("writes of three nodes at once are in one order on all of them", async () => {
  const { open } = await memoryCluster();
  const nodes = await Promise.all([open(), open(), open()]);
  const [one, other] = nodes;
  await Promise.all(
    nodes.flatMap((node, at) => Array.from({ length: 100 }, (_, i) => add(node, `${at}-${i}`))),
  );
  await Promise.all(nodes.map(({ database }) => database.fresh()));
  expect(names(one)).toHaveLength(300);
  expect(names(other)).toEqual(names(one));
  expect(contentOf(one.database.client.filename)).toEqual(contentOf(other.database.client.filename));
});
