import { describe, expect, test } from "bun:test";
import { readBodyWithin } from "../../src/http/body.ts";

/** A byte earns 1 ms. */
const PACE = { graceMs: 100, bytesPerSecond: 1000 };
/** A byte earns a second: a busy machine may delay the parts of a body. */
const SLOW_PACE = { graceMs: 250, bytesPerSecond: 1 };
const LIMIT = 2000;

/** Reads a body of these parts, which arrive 20 ms apart. Without `isComplete` it never ends. */
const read = (
  parts: number,
  {
    isComplete,
    headers = {},
    pace = PACE,
  }: { isComplete: boolean; headers?: Record<string, string>; pace?: typeof PACE },
) => {
  let sent = 0;
  const body = new ReadableStream({
    async pull(controller) {
      if (sent === parts && !isComplete) return new Promise(() => {});
      await Bun.sleep(20);
      if (sent < parts) controller.enqueue(Buffer.from("x"));
      else controller.close();
      sent += 1;
    },
  });
  const request = new Request("http://localhost/", { method: "POST", body, headers });
  return readBodyWithin(request, LIMIT, pace);
};

const TOO_SLOW = { code: "request_timeout", headers: { connection: "close" } };

describe.each([
  ["whose length is announced", { "content-length": "500" }],
  ["whose length is announced and long", { "content-length": "2000" }],
  ["whose length is not announced", {}],
])("a body %s", (_which, headers) => {
  test.each([
    ["never begins", 0],
    ["arrives byte by byte", 100],
  ])("a body that %s is refused after its time", async (_how, parts) => {
    const startedAt = performance.now();
    const refusal = await read(parts, { isComplete: false, headers }).catch((error: unknown) => error);
    expect(refusal).toMatchObject(TOO_SLOW);
    expect(performance.now() - startedAt).toBeGreaterThan(PACE.graceMs - 10);
  });
});

test("a body that arrives fast enough is read, although it takes longer than an empty one may", async () => {
  const startedAt = performance.now();
  expect(await read(25, { isComplete: true, pace: SLOW_PACE })).toHaveLength(25);
  expect(performance.now() - startedAt).toBeGreaterThan(SLOW_PACE.graceMs);
});
