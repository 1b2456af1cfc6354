import { expect, test } from "bun:test";
import { challengeProbes } from "../../src/certificates/preflight.ts";
import { portTrials, trialOpener } from "../../src/certificates/trial.ts";
import type { KeyAndCertificate } from "../../src/protocols/acme/tls-alpn.ts";
import { testClock } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

const NAME = /^probe-[0-9a-f-]+\.apps\.test$/;

/** A process that presents trials over HTTP. */
const openProcess = () => {
  const [probes, pending] = [challengeProbes(), new Map<string, KeyAndCertificate>()];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url, headers }) =>
      new Response(
        probes.responseTo(headers.get("host") ?? "", url.slice(url.lastIndexOf("/") + 1)) ?? "none",
      ),
  });
  const ports = { http: server.port ?? 0, tls: 1 };
  const open = trialOpener(probes, pending, ports, testClock(Date.now()));
  return { open, pending, [Symbol.dispose]: () => void server.stop(true) };
};

test("a process is recognised by the trial that it presents now, and by no other", async () => {
  using process = openProcess();
  const first = await process.open("apps.test");
  expect(first.hostname).toMatch(NAME);
  await portTrials(first, true).http.connect("127.0.0.1");
  const second = await process.open("apps.test");
  await portTrials(second, true).http.connect("127.0.0.1");
  expect(await outcomeOf(portTrials(first, true).http.connect("127.0.0.1"))).toThrow(
    "another server responds",
  );
  expect([...process.pending.keys()]).toEqual([second.hostname]);
});

test("private addresses are tried only if the settings allow them", async () => {
  using process = openProcess();
  const { http, https } = portTrials(await process.open("apps.test"), false);
  for (const port of [http, https])
    expect(await outcomeOf(port.connect("127.0.0.1"))).toThrow("the address is not public");
});
