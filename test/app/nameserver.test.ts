import { expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { startServer } from "../../src/app/server.ts";
import { createNameserver } from "../../src/platform/nameserver/nameserver.ts";
import { readConfig } from "../../src/config/config.ts";
import pino from "pino";
import { systemRuntime } from "../../src/data/context.ts";
import { testClient } from "../support/dns.ts";
import { atEnd, temporaryDirectory } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

const SETTINGS = {
  NAMESERVER: "ns1.sites.example.org,ns2.sites.example.org",
  PLATFORM_DOMAIN: "sites.example.org",
  PUBLIC_ADDRESSES: "203.0.113.10",
};

const configured = (env: Record<string, string>) =>
  readConfig({
    flags: {},
    env: { DATA_DIR: temporaryDirectory(), PORT: "0", LOG_LEVEL: "silent", DNS_LISTEN_PORT: "0", ...env },
    isTerminal: false,
  });

test("a server with NAMESERVER answers for its domain over UDP, and stops answering when it stops", async () => {
  const server = await startServer(configured(SETTINGS));
  atEnd(() => server.stop());
  const ask = (timeoutMs = 3000) =>
    testClient({ timeoutMs })(
      { address: "127.0.0.1", port: server.dnsPort ?? 0 },
      { name: "docs.sites.example.org", type: "A" },
      false,
    );
  expect((await ask()).outcome).toMatchObject({
    authoritative: true,
    records: [{ name: "docs.sites.example.org", ttl: 300, type: "A", data: "203.0.113.10" }],
  });
  await server.stop();
  expect((await ask(300)).outcome.kind).toBe("failure");
});

test("the metrics count responses by transport and code, and questions without a response", async () => {
  const server = await startServer(configured(SETTINGS));
  atEnd(() => server.stop());
  const port = server.dnsPort ?? 0;
  const ask = testClient();
  for (const name of ["docs.sites.example.org", "x.ns1.sites.example.org", "x.ns1.sites.example.org"])
    await ask({ address: "127.0.0.1", port }, { name, type: "A" }, false);
  const socket = createSocket("udp4");
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.send(Buffer.from("hello"), port, "127.0.0.1", () => resolve());
  await promise;
  // The next response comes after it.
  await ask({ address: "127.0.0.1", port }, { name: "example.com", type: "A" }, false);
  socket.close();
  const authorization = `Bearer ${readFileSync(server.adminKey ?? "", "utf8").trim()}`;
  const text = await (await fetch(`${server.url}/metrics`, { headers: { authorization } })).text();
  expect(text.match(/^dns_server_responses_total.*$/gm)?.toSorted()).toEqual([
    'dns_server_responses_total{transport="udp",rcode="NOERROR"} 1',
    'dns_server_responses_total{transport="udp",rcode="NXDOMAIN"} 2',
    'dns_server_responses_total{transport="udp",rcode="REFUSED"} 1',
    'dns_server_responses_total{transport="udp",rcode="none"} 1',
  ]);
});

test("a server without NAMESERVER has no name server", async () => {
  const server = await startServer(configured({}));
  atEnd(() => server.stop());
  expect(server.dnsPort).toBeUndefined();
});

test("a port that is in use stops the start, and the error explains what to do", async () => {
  const socket = createSocket("udp4");
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, "127.0.0.1", resolve);
  await promise;
  atEnd(() => void socket.close());
  const { port } = socket.address();
  expect(await outcomeOf(startServer(configured({ ...SETTINGS, DNS_LISTEN_PORT: String(port) })))).toThrow(
    `cannot listen on 127.0.0.1:${port}: the port is in use`,
  );
});

const runtimeWith = (env: Record<string, string>) => ({
  ...systemRuntime,
  config: configured({ ...SETTINGS, ...env }),
  log: pino({ level: "silent" }),
});

test.each([
  [{ PLATFORM_DOMAIN: "localhost" }, "NAMESERVER needs a domain: set PLATFORM_DOMAIN"],
  [{ PUBLIC_ADDRESSES: "" }, "HOST 127.0.0.1 has none: set PUBLIC_ADDRESSES"],
])("the name server does not start with %j", (env, message) => {
  expect(() => createNameserver(runtimeWith(env as Record<string, string>))).toThrow(message);
});

test("a public HOST is the service's address without PUBLIC_ADDRESSES", async () => {
  const nameserver = createNameserver(runtimeWith({ PUBLIC_ADDRESSES: "", HOST: "8.8.8.8" }));
  expect(nameserver?.origins).toEqual(["sites.example.org"]);
});
