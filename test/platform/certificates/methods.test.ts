import { expect, test } from "bun:test";
import type { Certificate } from "../../../src/platform/certificates/certificate.ts";
import type { TestChallengeType } from "../../support/acme-ca.ts";
import { MINUTE, openIssuing } from "./issuing.ts";

const NAME = "docs.example.org";
const SECOND = 1000;

/** The service, and a CA that can validate names only by these methods. */
const openBlocked = async (open: readonly TestChallengeType[], env: Record<string, string> = {}) => {
  const tried: TestChallengeType[] = [];
  const room = await openIssuing(
    {
      async validate(type) {
        tried.push(type);
        return open.includes(type);
      },
    },
    { env },
  );
  return { ...room, tried };
};

test("after a CA could not connect to port 80, the next attempt uses port 443, seconds later", async () => {
  const { tried, pass, verified, stageOf } = await openBlocked(["tls-alpn-01"]);
  await verified(NAME);
  await pass();
  expect(await stageOf(NAME)).toBe("issue_failed");
  await pass(15 * SECOND);
  expect(tried).toEqual(["http-01", "tls-alpn-01"]);
  expect(await stageOf(NAME)).toBe("live");
});

test("while both methods fail, attempts alternate between them, and only the first retry comes within seconds", async () => {
  const { tried, pass, verified } = await openBlocked([]);
  await verified(NAME);
  await pass();
  await pass(15 * SECOND);
  await pass(MINUTE);
  expect(tried).toEqual(["http-01", "tls-alpn-01"]);
  await pass(11 * MINUTE);
  await pass(111 * MINUTE);
  expect(tried).toEqual(["http-01", "tls-alpn-01", "http-01", "tls-alpn-01"]);
});

test("a problem of another kind in between does not bring back the method that failed", async () => {
  const { ca, tried, pass, verified, stageOf } = await openBlocked(["tls-alpn-01"]);
  await verified(NAME);
  await pass();
  ca.failNext("new-order", { status: 500 });
  await pass(15 * SECOND);
  await pass(12 * MINUTE);
  expect(tried).toEqual(["http-01", "tls-alpn-01"]);
  expect(await stageOf(NAME)).toBe("live");
});

test("the service's own name also uses the other method", async () => {
  const host = "adopt.example.net";
  const { tried, certificates, pass } = await openBlocked(["tls-alpn-01"], { BASE_URL: `https://${host}` });
  await pass();
  await pass(15 * SECOND);
  expect(tried).toEqual(["http-01", "tls-alpn-01"]);
  expect((await certificates.find(host))?.issued).toBeDefined();
});

test("the wait for a limit keeps the CA's last refusal and the stage, even when the holder verifies again", async () => {
  const { ca, certificates, clock, pass, verified, verify, show, stageOf } = await openBlocked([]);
  await verified(NAME);
  await pass();
  for (let again = 0; again < 8; again++) {
    await verify(NAME);
    await pass(MINUTE);
    expect(await stageOf(NAME)).toBe("issue_failed");
  }
  expect(ca.orders()).toHaveLength(5);
  const refusal = { type: "unauthorized", detail: expect.any(String) };
  const found: Certificate | undefined = await certificates.find(NAME);
  expect(found?.problem).toMatchObject({ type: "budget", cause: refusal });
  const { certificate } = (await show(NAME)) as unknown as { certificate: { problem: object } };
  expect(certificate.problem).toMatchObject({
    detail: expect.stringContaining("5 failed attempts"),
    cause: refusal,
  });
  // ACME_LIMITS may allow more after a restart.
  await certificates.retryAfterRestart(clock.now());
  expect((await certificates.find(NAME))?.nextAt).toBe(clock.now());
});
