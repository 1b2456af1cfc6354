import { expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { listenForDns } from "../../../src/protocols/dns-server/listen.ts";
import { question, testResponder } from "../../support/dns-questions.ts";
import { zoneOfLines } from "../../support/served-zones.ts";
import { outcomeOf } from "../../support/outcome.ts";

test("the server continues after a response that cannot be sent", async () => {
  const { respond } = testResponder([zoneOfLines("example.org", ["example.org A 192.0.2.1"])]);
  let isFirst = true;
  // The same happens for a question whose forged address has port 0: sending throws.
  const listener = await listenForDns("127.0.0.1", 0, (packet, client) => {
    if (!isFirst) return respond(packet, client);
    isFirst = false;
    throw new Error("cannot send");
  });
  const socket = createSocket("udp4");
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  socket.on("message", resolve);
  socket.send(question("example.org", "A", { id: 1 }), listener.port, "127.0.0.1");
  socket.send(question("example.org", "A", { id: 2 }), listener.port, "127.0.0.1");
  expect((await promise).readUInt16BE(0)).toBe(2);
  socket.close();
  listener.stop();
});

test("UDP and TCP use the same port, even if the system chooses it", async () => {
  const { respond } = testResponder([]);
  const listeners = await Promise.all([1, 2, 3].map(() => listenForDns("127.0.0.1", 0, respond)));
  expect(new Set(listeners.map(({ port }) => port)).size).toBe(3);
  for (const { port } of listeners)
    expect(await outcomeOf(listenForDns("127.0.0.1", port, respond))).toThrow(
      expect.objectContaining({ code: "EADDRINUSE" }),
    );
  for (const listener of listeners) listener.stop();
});
