import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { MAX_LOG_BYTES } from "../../../src/data/db/pragmas.ts";
import { logSize } from "../../../src/data/db/wal.ts";
import { addNamed, memoryCluster, namesOf } from "../../support/cluster.ts";

test("a log that has grown is truncated after the write that waits for the engine", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const path = newFile();
  const node = await open({ path });
  using reader = new Client(path, { readonly: true });
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM pets").get();
  while (logSize(path) <= MAX_LOG_BYTES) await addNamed(node, "x".repeat(2 ** 20));
  reader.run("COMMIT");
  const { promise: response, resolve: respond } = Promise.withResolvers<void>();
  const { promise: sent, resolve: onSent } = Promise.withResolvers<void>();
  engine.onAppend = async () => {
    onSent();
    await response;
  };
  const written = addNamed(node, "Bella");
  await sent;
  await node.database.shrinkLog();
  respond();
  await written;
  await node.database.shrinkLog();
  expect(logSize(path)).toBe(0);
  expect(namesOf(node).at(-1)).toBe("Bella");
});
