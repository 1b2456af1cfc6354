import { expect, test } from "bun:test";
import { challengeProbes, newTrial, portTrials } from "../../../src/platform/certificates/probes.ts";
import { alpnCertificate } from "../../../src/protocols/acme/tls-alpn.ts";
import { listenerFor } from "../../protocols/tls/listeners.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** A process of a store that presents trials on both ports. */
const openProcess = async (storeId: string) => {
  const probes = challengeProbes(storeId);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url, headers }) =>
      new Response(
        probes.responseTo(headers.get("host") ?? "", url.slice(url.lastIndexOf("/") + 1)) ?? "none",
      ),
  });
  const { port: tls } = await listenerFor({
    challenge: async (name) =>
      probes.isName(name) ? alpnCertificate(name, probes.authorizationFor(name)) : undefined,
  });
  const ports = { http: server.port ?? 0, tls };
  return { ports, [Symbol.dispose]: () => void server.stop(true) };
};

test("each process of a store is recognised by the trial of another, and no other store is", async () => {
  using own = await openProcess("a store");
  using other = await openProcess("another");
  const trialAt = ({ ports }: typeof own) =>
    portTrials(newTrial(challengeProbes("a store"), ports, "apps.test"), true);
  const [right, wrong] = [trialAt(own), trialAt(other)];
  await right.http.connect("127.0.0.1");
  await right.https.connect("127.0.0.1");
  expect(await outcomeOf(wrong.http.connect("127.0.0.1"))).toThrow("another server responds");
  expect(await outcomeOf(wrong.https.connect("127.0.0.1"))).toThrow();
});

test("private addresses are tried only if the settings allow them", async () => {
  using process = await openProcess("a store");
  const { http, https } = portTrials(newTrial(challengeProbes("a store"), process.ports, "apps.test"), false);
  for (const port of [http, https])
    expect(await outcomeOf(port.connect("127.0.0.1"))).toThrow("the address is not public");
});

test("a token or a name that no process of the store made gets no response", () => {
  const probes = challengeProbes("a store");
  const { token, body } = probes.open("docs.example.org");
  expect(probes.responseTo("docs.example.org", token)).toBe(body);
  expect(probes.responseTo("other.example.org", token)).toBeUndefined();
  expect(probes.responseTo("docs.example.org", `${token.slice(0, -1)}x`)).toBeUndefined();
  expect(probes.responseTo("docs.example.org", `probe-${crypto.randomUUID()}`)).toBeUndefined();
  expect(challengeProbes("another").responseTo("docs.example.org", token)).toBeUndefined();
  const name = probes.openName("apps.test");
  expect([name, `x${name}`, "docs.apps.test", name.replace("apps", "apis")].map(probes.isName)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
