import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { assertFits, readCertificate } from "../../../src/protocols/acme/certificate.ts";
import type { Account, AcmeClient } from "../../../src/protocols/acme/client.ts";
import {
  certificateRequest,
  newAccountKey,
  newCertificateKey,
  thumbprint,
} from "../../../src/protocols/acme/keys.ts";
import { problemOf } from "../../../src/protocols/acme/problem.ts";
import { type AcmeCa, acmeCa, type ResourceKind } from "../../support/acme-ca.ts";
import { authorize, clientOf, obtain, openAccount, problemFrom, registered } from "./clients.ts";

const NAMES = ["docs.example.org", "www.example.org"];

test("the issuance of a certificate goes from an account to a chain that fits its key and ends at the root", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca, { email: "owner@example.org" });
  expect(ca.accounts()).toMatchObject([{ url: account.url, contact: ["mailto:owner@example.org"] }]);
  const { key, chain, order } = await obtain(ca, client, account, NAMES);
  expect(order).toMatchObject({ status: "valid", names: NAMES });
  await assertFits(chain, key, NAMES, Date.now());
  const [leaf, intermediate] = (chain.match(/-----BEGIN[^]+?-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  );
  const root = new X509Certificate(ca.root);
  expect(leaf?.verify((intermediate as X509Certificate).publicKey)).toBe(true);
  expect(intermediate?.verify(root.publicKey)).toBe(true);
  expect((await readCertificate(chain)).names).toEqual(NAMES);
});

test("an authorization has challenges of known types with their tokens", async () => {
  const requested: string[][] = [];
  await using ca = await acmeCa({
    validate: async (...challenge) => {
      requested.push(challenge);
      return true;
    },
  });
  const { client, account } = await openAccount(ca);
  const order = await client.order(account, ["docs.example.org"]);
  const authorization = await client.authorization(account, order.authorizations[0] ?? "");
  expect(authorization.status).toBe("pending");
  expect(authorization.challenges.map(({ type }) => type)).toEqual(["http-01", "tls-alpn-01", "dns-01"]);
  const [, alpn] = authorization.challenges;
  expect((await client.respond(account, alpn?.url ?? "")).type).toBe("tls-alpn-01");
  await ca.validated();
  expect(requested).toEqual([
    ["tls-alpn-01", "docs.example.org", alpn?.token ?? "", thumbprint(account.key)],
  ]);
  expect(await client.readOrder(account, order.url)).toMatchObject({ status: "ready" });
});

test("the same key leads to the same account", async () => {
  await using ca = await acmeCa();
  const key = await newAccountKey();
  const url = await clientOf(ca.directory).register(key);
  expect(await clientOf(ca.directory).register(key)).toBe(url);
  expect(await clientOf(ca.directory).register(await newAccountKey())).not.toBe(url);
});

test("an order that is processing reports its Retry-After", async () => {
  await using ca = await acmeCa({ processingReads: 2, retryAfter: 3 });
  const { client, account } = await openAccount(ca);
  const { url, authorizations } = await client.order(account, NAMES);
  expect((await client.authorization(account, authorizations[0] ?? "")).retryAfterMs).toBe(3000);
  await authorize(ca, client, account, authorizations);
  const ready = await client.readOrder(account, url);
  const csr = await certificateRequest(await newCertificateKey(), NAMES);
  expect(await client.finalize(account, ready, csr)).toMatchObject({
    status: "processing",
    retryAfterMs: 3000,
    url,
  });
  expect(await client.readOrder(account, url)).toMatchObject({ status: "processing" });
  const done = await client.readOrder(account, url);
  expect(done.status).toBe("valid");
  expect(done.retryAfterMs).toBeUndefined();
  expect(await client.certificate(account, done.certificate ?? "")).toStartWith(
    "-----BEGIN CERTIFICATE-----\n",
  );
});

test("an issuance whose challenge fails ends in an invalid order with the reason", async () => {
  await using ca = await acmeCa({ validate: async () => false });
  const { client, account } = await openAccount(ca);
  const order = await client.order(account, NAMES);
  await authorize(ca, client, account, order.authorizations);
  const { status, challenges } = await client.authorization(account, order.authorizations[0] ?? "");
  expect(status).toBe("invalid");
  expect(challenges[0]?.error).toEqual({
    type: "unauthorized",
    detail: "http-01 of docs.example.org is not met",
    subproblems: [],
  });
  expect(await client.readOrder(account, order.url)).toMatchObject({
    status: "invalid",
    error: { type: "unauthorized" },
  });
});

test("a certificate can be revoked once", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  const { chain } = await obtain(ca, client, account, NAMES);
  const { der } = await readCertificate(chain);
  await client.revoke(account, der);
  expect(ca.certificates[0]?.revoked).toBeDefined();
  expect((await problemFrom(client.revoke(account, der))).type).toBe("alreadyRevoked");
});

const eab = { kid: "kid-1", hmac: Buffer.alloc(32, 7).toString("base64url") };

test("an external account is bound to the account's key", async () => {
  await using ca = await acmeCa({ eab });
  await registered(clientOf(ca.directory, { eab }));
  expect(ca.accounts().length).toBe(1);
});

test.each([
  ["no binding", undefined, "externalAccountRequired"],
  ["another secret", { ...eab, hmac: Buffer.alloc(32, 8).toString("base64url") }, "unauthorized"],
  ["another id", { ...eab, kid: "kid-2" }, "unauthorized"],
])("an external account with %s is refused, and the secret is in no message", async (_, wrong, type) => {
  await using ca = await acmeCa({ eab });
  const problem = await problemFrom(registered(clientOf(ca.directory, wrong ? { eab: wrong } : {})));
  expect(problem.type).toBe(type);
  expect(JSON.stringify(problemOf(problem)) + problem.stack).not.toContain(wrong?.hmac ?? eab.hmac);
});

test("renewal information has the window of the certificate, and the order names the certificate that it replaces", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  const { chain } = await obtain(ca, client, account, NAMES);
  const { ariId = "", notAfter, notBefore } = await readCertificate(chain);
  const info = await client.renewalInfo(ariId);
  expect(info?.start).toBe(Math.floor(notAfter - (notAfter - notBefore) / 3));
  await obtain(ca, client, account, NAMES, { replaces: ariId });
  expect(ca.orders().at(-1)?.replaces).toBe(ariId);
  const again = await problemFrom(client.order(account, NAMES, { replaces: ariId }));
  expect(again).toMatchObject({ type: "alreadyReplaced", status: 409 });
});

test("renewal information is undefined for a server without ARI, which gets no `replaces`", async () => {
  await using ca = await acmeCa({ ari: false });
  const { client, account } = await openAccount(ca);
  expect(await client.renewalInfo("AAAA.BBBB")).toBeUndefined();
  await client.order(account, NAMES, { replaces: "AAAA.BBBB" });
  expect(ca.orders()[0]?.replaces).toBeUndefined();
});

test.each([0.3, 0.9])(
  "a certificate is issued although the server rejects a share of %d of the nonces",
  async (nonceRejection) => {
    await using ca = await acmeCa({ nonceRejection });
    const { client, account } = await openAccount(ca);
    expect((await obtain(ca, client, account, NAMES)).order.status).toBe("valid");
    expect(ca.rejected()).toBeGreaterThan(3);
    expect(client.slept.length).toBe(ca.rejected());
    expect(ca.certificates.length).toBe(1);
  },
);

test("a request whose nonces are always rejected fails after 10 retries, with waits that grow to a second", async () => {
  await using ca = await acmeCa({ nonceRejection: 1 });
  const client = clientOf(ca.directory);
  const problem = await problemFrom(registered(client));
  expect(problem).toMatchObject({ type: "badNonce", status: 400 });
  expect(ca.requests.get("new-account")).toBe(11);
  expect(client.slept).toEqual([20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000]);
});

test("responses bring the next nonce, so newNonce is requested only once", async () => {
  await using ca = await acmeCa();
  const client = clientOf(ca.directory);
  await obtain(ca, client, await registered(client), NAMES);
  expect(ca.requests.get("new-nonce")).toBe(1);
  expect(ca.requests.get("directory")).toBe(1);
});

test("concurrent requests use each nonce once", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  const orders = await Promise.all(Array.from({ length: 20 }, () => client.order(account, NAMES)));
  expect(new Set(orders.map(({ url }) => url)).size).toBe(20);
  expect(client.slept).toEqual([]);
});

test("a rejected nonce is replaced by the one in the server's response", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  await Promise.all(Array.from({ length: 20 }, () => client.order(account, NAMES)));
  ca.forgetNonces();
  expect((await client.order(account, NAMES)).status).toBe("pending");
  expect(client.slept).toEqual([20]);
});

test("a nonce is not retried after another problem", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  ca.failNext("new-order", { status: 500, problem: { type: "serverInternal" } });
  await problemFrom(client.order(account, NAMES));
  expect(ca.requests.get("new-order")).toBe(1);
  expect(client.slept).toEqual([]);
});

const rateLimited = {
  status: 429,
  retryAfter: 120,
  problem: {
    type: "rateLimited",
    detail: "too many certificates\u0007 for \u202eexample.org",
    subproblems: [
      {
        type: "urn:ietf:params:acme:error:caa",
        detail: "no",
        identifier: { type: "dns", value: "a.example.org" },
      },
      "nonsense",
    ],
  },
};

/** The calls that send a request of each kind. */
const steps: Partial<
  Record<ResourceKind, (client: AcmeClient, ca: AcmeCa, account: Account) => Promise<unknown>>
> = {
  directory: (_, ca) => clientOf(ca.directory).directory(),
  "new-nonce": (_, ca) => registered(clientOf(ca.directory)),
  "new-account": (client) => registered(client),
  "new-order": (client, _, account) => client.order(account, NAMES),
  order: async (client, _, account) => client.readOrder(account, (await client.order(account, NAMES)).url),
  authorization: async (client, _, account) =>
    client.authorization(account, (await client.order(account, NAMES)).authorizations[0] ?? ""),
  challenge: async (client, ca, account) =>
    authorize(ca, client, account, (await client.order(account, NAMES)).authorizations),
  finalize: (client, ca, account) => obtain(ca, client, account, NAMES),
  certificate: (client, ca, account) => obtain(ca, client, account, NAMES),
  "revoke-cert": (client, _, account) => client.revoke(account, new Uint8Array(8)),
  "renewal-info": (client) => client.renewalInfo("AAAA.BBBB"),
};

test.each(Object.entries(steps))("an error for %s is a problem with all its fields", async (kind, step) => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  ca.failNext(kind as ResourceKind, rateLimited);
  const problem = await problemFrom(step(client, ca, account));
  expect(problemOf(problem)).toEqual({
    type: "rateLimited",
    status: 429,
    retryAfterMs: 120_000,
    // The response to HEAD has no body.
    detail:
      kind === "new-nonce"
        ? "status 429 without a reason"
        : "too many certificates\\u0007 for \\u202eexample.org",
    subproblems:
      kind === "new-nonce"
        ? []
        : [
            { type: "caa", detail: "no", identifier: "a.example.org" },
            { type: "unexplained", detail: "" },
          ],
  });
});

test("an error without a problem document is named after its status, and may be retried at a date", async () => {
  await using ca = await acmeCa();
  ca.failNext("directory", { status: 503, retryAfter: "Fri, 20 Nov 2099 00:00:00 GMT" });
  const problem = await problemFrom(clientOf(ca.directory).directory());
  expect(problem).toMatchObject({
    type: "serverInternal",
    status: 503,
    detail: "status 503 without a reason",
  });
  expect(problem.retryAfterMs).toBeGreaterThan(1e12);
});

test("an error names a deleted account, an expired order, another account's order, and a wrong CSR", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  const order = await client.order(account, NAMES);
  const other = await registered(client);
  expect((await problemFrom(client.readOrder(other, order.url))).type).toBe("unauthorized");
  const early = client.finalize(account, order, new Uint8Array(3));
  expect((await problemFrom(early)).type).toBe("orderNotReady");
  await authorize(ca, client, account, order.authorizations);
  const foreign = await certificateRequest(await newCertificateKey(), ["other.example.org"]);
  expect((await problemFrom(client.finalize(account, order, foreign))).type).toBe("badCSR");
  ca.expireOrders();
  expect((await client.readOrder(account, order.url)).status).toBe("invalid");
  ca.forgetAccounts();
  expect((await problemFrom(client.order(account, NAMES))).type).toBe("accountDoesNotExist");
});

test("an error is the response to a request signed with another key", async () => {
  await using ca = await acmeCa();
  const client = clientOf(ca.directory);
  const { url } = await registered(client);
  const problem = await problemFrom(client.order({ url, key: await newAccountKey() }, NAMES));
  expect(problem).toMatchObject({ type: "malformed", detail: "the signature is wrong" });
  expect(ca.orders()).toEqual([]);
});

test("a connection error has the reason, and the next request reaches the server again", async () => {
  await using ca = await acmeCa();
  const { client, account } = await openAccount(ca);
  await ca.down();
  const problem = await problemFrom(client.order(account, NAMES));
  expect(problem).toMatchObject({ type: "unreachable", subproblems: [] });
  expect(problem.detail).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+: connection (refused|closed)$/);
  ca.up();
  expect((await client.order(account, NAMES)).status).toBe("pending");
});

test("the directory has the CAA identities of the CA", async () => {
  await using ca = await acmeCa();
  expect((await clientOf(ca.directory).directory()).caaIdentities).toEqual(["ca.example"]);
});
