import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/store.ts";

const SRC = join(import.meta.dir, "../../../src");

/** Starts a server without DATABASE_URL, and prints which modules it has loaded. */
const SCRIPT = `
import { startServer } from ${JSON.stringify(`${SRC}/app/server.ts`)};
import { readConfig } from ${JSON.stringify(`${SRC}/config/config.ts`)};
const env = { DATA_DIR: process.argv[2], PORT: "0" };
const server = await startServer(readConfig({ flags: {}, env, isTerminal: false }));
await Bun.write(process.argv[3], JSON.stringify(Object.keys(require.cache)));
await server.stop();
process.exit();
`;

test("a server without DATABASE_URL loads nothing of the cluster", async () => {
  const place = temporaryDirectory();
  const [script, list] = [join(place, "script.ts"), join(place, "modules.json")];
  await Bun.write(script, SCRIPT);
  await Bun.spawn([process.execPath, script, join(place, "data"), list], {
    stdout: "ignore",
    stderr: "ignore",
  }).exited;
  const modules = (await Bun.file(list).json()) as string[];
  expect(modules).toContain(join(SRC, "data/db/open.ts"));
  expect(modules.filter((path) => path.startsWith(join(SRC, "data/cluster/")))).toEqual([]);
});
