import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import pino from "pino";
import { cors, lifecycle, repeatedParameter } from "../../src/http/lifecycle.ts";
import { metrics } from "../../src/http/metrics.ts";
import { methodsAt } from "../../src/http/route-table.ts";
import { Fault } from "../../src/lib/errors.ts";

const linesAt = async (level: "debug" | "info"): Promise<Record<string, unknown>[]> => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level, base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const app = new Elysia()
    .use(lifecycle({ metrics: metrics({ version: "1.0.0" }), log, cors: cors([]), routes: () => [] }))
    .get("/", () => {
      throw new Fault("pet_in_order", "a client's own words");
    });
  await app.handle(new Request("http://localhost/", { headers: { "x-request-id": "one" } }));
  return lines;
};

test("at debug, the log has the error code of a refused request, but not its message, which may quote the client", async () => {
  const lines = await linesAt("debug");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({ msg: "refused", requestId: "one", code: "pet_in_order" });
  expect(lines[1]).toMatchObject({ msg: "request", requestId: "one", status: 409 });
  expect(JSON.stringify(lines)).not.toContain("own words");
});

test("at info, the log has one line for a refused request", async () => {
  expect(await linesAt("info")).toMatchObject([{ msg: "request" }]);
});

test.each([
  ["a=1&b=2", undefined],
  ["a=1&b=2&a=3", "a"],
  ["a&a", "a"],
  ["a=b=a&b", undefined],
  ["a=1&&b=2&", undefined],
  ["=1&=2", ""],
  ["&&", undefined],
  ["a=1&%61=2", "a"],
  ["a+b=1&a%20b=2", "a b"],
])("in ?%s the repeated parameter is %p", (query, repeated) => {
  expect(repeatedParameter(`http://localhost/?${query}`)).toBe(repeated);
});

const routes = [
  { method: "GET", path: "/a/:id" },
  { method: "POST", path: "/a/:id/b" },
  { method: "DELETE", path: "/a/:id" },
];
test.each([
  ["/a/1", ["DELETE", "GET", "HEAD", "OPTIONS"]],
  ["/a/1/", ["DELETE", "GET", "HEAD", "OPTIONS"]],
  ["/a/1/b", ["OPTIONS", "POST"]],
  ["/a", []],
  ["/a//b", []],
  ["/a/1/c", []],
])("the methods at the path %s are %p", (path, methods) => {
  expect(methodsAt(routes, path)).toEqual(methods);
});
