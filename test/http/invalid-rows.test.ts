import { expect, test } from "bun:test";
import { Type, type TArray } from "@sinclair/typebox";
import { Elysia } from "elysia";
import pino from "pino";
import { cors, lifecycle } from "../../src/http/lifecycle.ts";
import { metrics } from "../../src/http/metrics.ts";
import { notesOf } from "../../src/http/endpoint.ts";
import { openOnce, openStore } from "../support/store.ts";

const Row = Type.Object({
  id: Type.Optional(Type.Integer()),
  hostname: Type.Optional(Type.String()),
  count: Type.Integer({ minimum: 1 }),
});

/** Sends a value as the 200 response of a route with this schema. @returns the response and the logged errors */
const send = async (value: unknown, schema: unknown = Type.Array(Row, { maxItems: 3 }), method = "GET") => {
  const errors: Record<string, unknown>[] = [];
  const log = pino({ level: "error", base: null }, { write: (line) => void errors.push(JSON.parse(line)) });
  const app = new Elysia({ normalize: false })
    .use(lifecycle({ metrics: metrics({ version: "1.0.0" }), log, cors: cors([]), routes: () => [] }))
    .route(
      method,
      "/",
      ({ set }) => {
        set.headers["link"] = '</?cursor=c>; rel="next"';
        return value as never;
      },
      { response: { 200: schema as never } },
    );
  const response = await app.handle(
    new Request("http://localhost/", { method, headers: { "x-request-id": "one" } }),
  );
  return { response, body: await response.json(), errors };
};

test("an invalid row is omitted from a list, and the log names it and its rules", async () => {
  const rows = [{ count: 1 }, { id: 7, hostname: "docs.example.org", count: 0 }, { count: 3 }];
  const { response, body, errors } = await send(rows);
  expect([response.status, body]).toEqual([200, [{ count: 1 }, { count: 3 }]]);
  expect(errors).toMatchObject([
    {
      requestId: "one",
      rows: [
        {
          index: 1,
          id: 7,
          hostname: "docs.example.org",
          violations: "count: must be integer to be greater or equal to 1",
        },
      ],
    },
  ]);
});

test("a list without its invalid rows keeps the address of the next page", async () => {
  const { response } = await send([{ count: 0 }]);
  expect(response.headers.get("link")).toBe('</?cursor=c>; rel="next"');
  expect(response.headers.get("content-type")).toStartWith("application/json");
});

test("the log contains no value of an invalid row except its id", async () => {
  const { errors } = await send([{ id: 7, count: "a secret" }, null]);
  expect(errors).toMatchObject([{ rows: [{ index: 0 }, { index: 1 }] }]);
  expect(JSON.stringify(errors)).not.toContain("a secret");
});

test.each([
  ["a list that is too long", [1, 2, 3, 0].map((count) => ({ count })), "GET"],
  ["an invalid response that is not a list", { count: 1 }, "GET"],
  ["an invalid result of a write, whose results are in request order", [{ count: 0 }], "POST"],
])("%s is an error", async (_what, value, method) => {
  const { response, errors } = await send(value, undefined, method);
  expect([response.status, errors[0]?.["msg"]]).toEqual([500, "internal_error"]);
});

const store = openOnce(openStore);

const lists = () =>
  store().app.routes.flatMap(({ method, path, hooks }) => {
    const schema = (hooks.response as Record<number, TArray> | undefined)?.[200];
    const example = notesOf(hooks.detail)?.responses[200]?.example;
    return method === "GET" && schema?.type === "array" ? [{ path, schema, example }] : [];
  });

test("every list has its valid rows even if one is invalid", async () => {
  expect(lists().map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      "/v1/pets",
      "/v1/categories",
      "/v1/store/orders",
      "/platform/audit",
      "/platform/projects/:slug/domains",
      "/platform/projects/:slug/domains/:hostname/history",
    ]),
  );
  for (const { path, schema, example } of lists()) {
    const [row] = example as unknown[];
    const { body, errors } = await send([row, {}, row], schema);
    expect({ path, body, errors }).toMatchObject({
      path,
      body: [row, row],
      errors: [{ rows: [{ index: 1 }] }],
    });
  }
});
