import { X509Certificate } from "node:crypto";
import { expect, test } from "bun:test";
import { acmeIdentifierOf, shownIdentifier } from "../../../src/protocols/acme/tls-alpn.ts";
import { recordValueOf } from "../../../src/platform/certificates/dns-challenges.ts";
import { listenForDns } from "../../../src/protocols/dns-server/listen.ts";
import { testClient } from "../../support/dns.ts";
import { type Store, atEnd, openStore, temporaryDirectory } from "../../support/store.ts";
import { openFakeDns } from "../domains/projects.ts";
import { openIssuing } from "./issuing.ts";

const NAME = "docs.example.org";

/** What the certificate for a challenge of this name proves. */
const shownBy = async (store: Store, name = NAME): Promise<string | undefined> => {
  const pair = await store.https?.handshake(name);
  return pair && shownIdentifier(Uint8Array.from(new X509Certificate(pair.cert).raw));
};

test("a process that did not place the order responds to a CA over HTTP", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  let other: Store | undefined;
  const seen: string[] = [];
  const { stageOf, clock, attempted } = await openIssuing(
    {
      async validate(_type, name, token, thumbprint) {
        const url = `http://${name}/.well-known/acme-challenge/${token}`;
        const response = await other!.fetch(new Request(url, { headers: { host: name } }));
        seen.push(name);
        return (await response.text()) === `${token}.${thumbprint}`;
      },
    },
    { path },
  );
  other = await openStore({ path, clock, env: { HTTPS_PORT: "8443" } });
  await attempted(NAME);
  expect([seen, await stageOf(NAME)]).toEqual([[NAME], "live"]);
});

test("in handshakes, each process proves the order of any other, and otherwise its own probes", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const { store, certificates, verified } = await openIssuing({}, { path });
  const other = await openStore({ path, env: { HTTPS_PORT: "8443" } });
  expect(await shownBy(other)).toBeUndefined();
  await verified(NAME);
  const probe = await shownBy(store);
  expect(probe).toBeDefined();
  expect(await shownBy(other)).toBe(probe);
  await certificates.want([NAME], 0);
  const attempt = (await certificates.beginAttempt((await certificates.find(NAME))!, 1))!;
  await certificates.saveChallenge(attempt, "tok_en-1", "tok_en-1.thumb");
  for (const process of [store, other])
    expect(await shownBy(process)).toBe(acmeIdentifierOf("tok_en-1.thumb"));
  await certificates.fail(
    attempt,
    {
      problem: { type: "unauthorized", detail: "", subproblems: [] },
      nextAt: null,
      refusedBy: "https://ca.test/",
    },
    2,
  );
  expect(await shownBy(other)).toBe(probe);
  expect(await shownBy(other, "unknown.example.org")).toBeUndefined();
});

test("the name server of each process has the TXT records of pending challenges, regardless of the process that placed the order", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const PLATFORM_DOMAIN = "sites.example.net";
  const env = { PLATFORM_DOMAIN, NAMESERVER: "ns1.example.net", PUBLIC_ADDRESSES: "203.0.113.10" };
  const { store, certificates, verified } = await openIssuing({}, { path, env });
  const other = await openStore({ path, env: { HTTPS_PORT: "8443", ...env } });
  const listener = await listenForDns("127.0.0.1", 0, other.nameserver!.respond);
  atEnd(() => listener.stop());
  const valuesOf = async (name: string) => {
    const server = { address: "127.0.0.1", port: listener.port };
    const { outcome } = await testClient()(server, { name, type: "TXT" }, false);
    return "records" in outcome ? outcome.records.map(({ data }) => data) : [];
  };
  await verified(NAME);
  const label = store.database.client
    .query<{ label: string }, []>("select target_label as label from projects")
    .get()?.label;
  for (const [hostname, record] of [
    [`*.${PLATFORM_DOMAIN}`, `_acme-challenge.${PLATFORM_DOMAIN}`],
    [NAME, `${label}._acme-challenge.${PLATFORM_DOMAIN}`],
  ] as const) {
    expect(await valuesOf(record)).toEqual([]);
    await certificates.want([hostname], 0);
    const attempt = (await certificates.beginAttempt((await certificates.find(hostname))!, 1))!;
    await certificates.saveChallenge(attempt, `token-of-${hostname}`, `${hostname}.thumb`);
    expect(JSON.stringify(await valuesOf(record))).toContain(recordValueOf(`${hostname}.thumb`));
    expect(await certificates.forget(attempt)).toBe(hostname !== NAME);
  }
});

test("an order that a process leaves when it stops is completed by another, without a second order", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: validated, resolve: validate } = Promise.withResolvers<boolean>();
  const { ca, https, clock, certificates, verified, stageOf } = await openIssuing(
    {
      validate() {
        ask();
        return validated;
      },
    },
    { path },
  );
  const sleep = (ms: number) => {
    clock.advance(ms);
    return Bun.sleep(1);
  };
  const { inspect } = openFakeDns("records_right");
  const env = { HTTPS_PORT: "8443", ACME_DIRECTORY: ca.directory, ACME_AGREE_TOS: "true" };
  const other = await openStore({ path, clock, sleep, env, inspect });
  await verified(NAME);
  const working = https.scheduler.tick();
  await asked;
  await https.scheduler.stop();
  await working;
  expect(await certificates.find(NAME)).toMatchObject({ nextAt: 0, problem: undefined, failures: 0 });
  validate(true);
  await other.https?.scheduler.tick();
  expect([ca.orders().length, await stageOf(NAME)]).toEqual([1, "live"]);
});
