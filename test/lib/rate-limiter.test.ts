import { expect, test } from "bun:test";
import type { Fault } from "../../src/lib/errors.ts";
import { formatRate, parseRate, rateLimiter } from "../../src/lib/rate-limiter.ts";

const faultOf = (act: Promise<unknown>): Promise<Fault> =>
  act.then(
    () => {
      throw new Error("the request was allowed");
    },
    (error: Fault) => error,
  );

const window = { requests: 2, seconds: 3600 };

test("a limit of requests allows its number of requests, and reports the rest to the client", async () => {
  const { take } = rateLimiter("keys", "requests");
  expect(await take("a", window)).toEqual({
    "ratelimit-policy": '"keys";q=2;w=3600',
    ratelimit: '"keys";r=1;t=3600',
  });
  expect((await take("a", window))["ratelimit"]).toBe('"keys";r=0;t=3600');
});

test("a limit of requests refuses the next one, and reports when to try again", async () => {
  const { take } = rateLimiter("keys", "requests");
  await take("a", window);
  await take("a", window);
  await Bun.sleep(5);
  const fault = await faultOf(take("a", window));
  expect(fault).toMatchObject({
    code: "rate_limited",
    message: "Too many requests: 2 in 3600 s are allowed; try again in 3600 s.",
    headers: {
      "ratelimit-policy": '"keys";q=2;w=3600',
      ratelimit: '"keys";r=0;t=3600',
      "retry-after": "3600",
    },
  });
});

test("a limit of requests starts again when its window is over", async () => {
  const { take } = rateLimiter("keys", "requests");
  const short = { requests: 1, seconds: 1 };
  await take("a", short);
  const fault = await faultOf(take("a", short));
  expect(fault.headers).toMatchObject({ "retry-after": "1" });
  await Bun.sleep(1050);
  expect((await take("a", short))["ratelimit"]).toBe('"keys";r=0;t=1');
});

test("a limit of requests applies to each client separately", async () => {
  const { take } = rateLimiter("keys", "requests");
  const one = { requests: 1, seconds: 3600 };
  await take("a", one);
  expect((await take("b", one))["ratelimit"]).toBe('"keys";r=0;t=3600');
});

test("a limit of requests has a separate count for each rate", async () => {
  const { take } = rateLimiter("keys", "requests");
  await take("a", { requests: 1, seconds: 3600 });
  expect((await take("a", { requests: 1, seconds: 30 }))["ratelimit"]).toBe('"keys";r=0;t=30');
  expect((await take("a", { requests: 3, seconds: 3600 }))["ratelimit"]).toBe('"keys";r=2;t=3600');
});

test("a limit of requests counts concurrent requests", async () => {
  const { take } = rateLimiter("keys", "requests");
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => take("a", window)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
});

test("a limit of requests is shared by the nodes of a cluster, rounded up, and follows their number", async () => {
  let nodes = 3;
  const { take } = rateLimiter("keys", "requests", () => nodes);
  const rate = { requests: 4, seconds: 3600 };
  expect((await take("a", rate))["ratelimit-policy"]).toBe('"keys";q=2;w=3600');
  expect((await take("a", rate))["ratelimit"]).toBe('"keys";r=0;t=3600');
  const fault = await faultOf(take("a", rate));
  expect(fault.message).toStartWith(
    "Too many requests: 4 on all nodes, and 2 on this one, in 3600 s are allowed; try again in ",
  );
  nodes = 1;
  // The refused request counts too.
  expect((await take("a", rate))["ratelimit"]).toStartWith('"keys";r=0;');
  nodes = 100;
  expect((await take("b", rate))["ratelimit-policy"]).toBe('"keys";q=1;w=3600');
});

test.each([
  ["600/min", { requests: 600, seconds: 60 }],
  ["10/s", { requests: 10, seconds: 1 }],
  ["5000/h", { requests: 5000, seconds: 3600 }],
])("%s is parsed and formatted unchanged", (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
  expect(formatRate(rate)).toBe(text);
});

test.each([
  ["10/sec", { requests: 10, seconds: 1 }],
  ["5000/hour", { requests: 5000, seconds: 3600 }],
  ["999999999/h", { requests: 999_999_999, seconds: 3600 }],
])("%s is parsed", (text, rate) => {
  expect(parseRate(text)).toEqual(rate);
});

test.each(["", "600", "/min", "0/min", "-1/s", "1.5/s", "10/day", "10 / s", "1e3/s", "9999999999/s"])(
  "%p is not a rate",
  (text) => {
    expect(parseRate(text)).toBeUndefined();
  },
);
