import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSockets } from "../../src/edge/sockets.ts";
import { temporaryDirectory } from "../support/store.ts";

const SOURCE = join(import.meta.dir, "../../src/edge/sockets.ts");
const FILES = 64;

/** Accepts one connection, opens files until no more can be opened, and prints the result of `Sockets`. */
const SCRIPT = `
import { openSync } from "node:fs";
import { openSockets } from ${JSON.stringify(SOURCE)};
const sockets = openSockets();
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
const ports = new Set([server.port]);
await Bun.connect({ hostname: "127.0.0.1", port: server.port, socket: { open: (one) => one.write("G"), data() {} } });
while (sockets.accepted(ports).length === 0) await Bun.sleep(1);
try {
  for (;;) openSync("/dev/null", "r");
} catch {}
console.log(sockets.openFiles(), sockets.accepted(ports).length);
process.exit();
`;

test.if(openSockets() !== undefined)("connections are found while no more files can be opened", async () => {
  const file = join(temporaryDirectory(), "exhausted.ts");
  writeFileSync(file, SCRIPT);
  const limited = ["sh", "-c", `ulimit -n ${FILES} && exec "$0" "$@"`, process.execPath, file];
  const child = Bun.spawn(limited, { stdout: "pipe", stderr: "pipe" });
  expect([await child.stdout.text(), await child.stderr.text()]).toEqual([`${FILES} 1\n`, ""]);
});
