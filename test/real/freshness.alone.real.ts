import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { connect } from "./socket.ts";
import { real, serve } from "./support.ts";

const test = real();

const ROUNDS = 1500;
const READERS = 24;

test("a page is never older than a write of another program before the request", async () => {
  const server = await serve({ flags: ["--log-level", "warn"] });
  await server.add("0");
  const get = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\n\r\n`;
  // Others who read all the time: without them every request has a turn of the event loop for itself.
  const rounds = new AbortController();
  const readers = Array.from({ length: READERS }, async () => {
    while (!rounds.signal.aborted) await (await server.call("/v1/pets")).text();
  });
  using other = new Database(`${server.cwd}/data/adoption-store.db`);
  other.run("PRAGMA busy_timeout = 5000");
  const rename = other.prepare("UPDATE pets SET name = ?");
  using socket = await connect(server.port);
  for (let round = 1; round <= ROUNDS; round++) {
    const before = socket.received().length;
    rename.run(`round ${round}`);
    socket.write(get);
    while (!socket.received().endsWith("}]") || socket.received().length === before)
      await new Promise((resolve) => setImmediate(resolve));
    expect(socket.received().slice(before)).toContain(`"name":"round ${round}"`);
  }
  rounds.abort();
  await Promise.all(readers);
});
