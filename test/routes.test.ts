import { describe, expect, test } from "bun:test";
import { DOCUMENTS } from "../src/pages/openapi/sections.ts";
import { generateDocuments } from "../src/pages/openapi/document.ts";
import { SCOPES, type Scope } from "../src/http/scopes.ts";
import { operationsOf, pathWith } from "./support/operations.ts";
import { faultOf, messageOf, openStore } from "./support/store.ts";

// Shared, because no request here changes the data that another test reads.
const store = await openStore({ env: { AUTH_FAILURES_PER_MINUTE: "1000000" } });
const { operations } = await operationsOf(store);
const guarded = operations.filter(({ isPublic }) => !isPublic);
const named = (list: typeof operations) =>
  list.map((operation) => [`${operation.method} ${operation.base}${operation.path}`, operation] as const);

const PUBLIC = [
  "/",
  "/docs",
  "/docs/page.css",
  "/docs/page.js",
  "/docs/swagger-ui-:version/:name",
  "/manual",
  "/manual/*",
  "/manual.md",
  "/llms.txt",
  "/console",
  "/console/*",
  "/console/assets/:hash/:name",
  "/console/session",
  "/console/auth/passkey",
  "/console/auth/passkey/options",
  "/console/auth/invitation",
  "/console/auth/invitation/options",
  "/console/auth/invitation/accept",
  "/console/auth/passkeys",
  "/console/auth/passkeys/options",
  "/console/auth/passkeys/:passkeyId",
  "/console/auth/sessions",
  "/console/auth/sessions/:sessionId",
  "/console/auth/link",
  "/console/auth/oidc",
  "/console/auth/oidc/callback",
  "/console/api/*",
  "/openapi.json",
  "/openapi.yaml",
  "/openapi.postman.json",
  "/platform/openapi.json",
  "/platform/openapi.yaml",
  "/platform/openapi.postman.json",
  "/livez",
  "/readyz",
  "/*",
];

interface RouteSecurity {
  method: string;
  path: string;
  /** Set by the macros `scope` and `public`; undefined if the route has neither. */
  security: { apiKey: string[] }[] | undefined;
}

const securityOfRoutes = (): RouteSecurity[] =>
  store.app.routes.map(({ method, path, hooks }) => ({
    method,
    path,
    security: hooks.detail?.security,
  }));

test("every route of the app names a scope, or is marked public", async () => {
  const routes = securityOfRoutes();
  expect(routes.length).toBeGreaterThan(15);
  expect(routes.filter(({ security }) => security === undefined)).toEqual([]);
});

test("every public route of the app is on the list of public paths", async () => {
  const open = securityOfRoutes()
    .filter(({ security }) => security?.length === 0)
    .map(({ path }) => path.replace(/swagger-ui-[\d.]+/, "swagger-ui-:version"));
  expect([...new Set(open)].toSorted()).toEqual(PUBLIC.toSorted());
});

test("every route of the app names a scope that exists", async () => {
  const scopes = securityOfRoutes().flatMap(
    ({ security }) => security?.flatMap(({ apiKey }) => apiKey) ?? [],
  );
  expect(scopes.filter((scope) => !(scope in SCOPES))).toEqual([]);
});

test("every route of the app is in a document, unless it is hidden", async () => {
  const visible = store.app.routes.filter(({ hooks }) => !hooks.detail?.hide);
  const documents = await generateDocuments(store.app);
  const count = (["store", "platform"] as const).flatMap((name) =>
    Object.values((documents(name, { baseUrl: "", stagingBaseUrl: "" }) as { paths: object }).paths).flatMap(
      Object.keys,
    ),
  ).length;
  expect(count).toBe(visible.length);
});

/** No string can be made of it, as for a message. */
const HOSTILE = { toString: 1, valueOf: 1 };
const hostileBodies = store.app.routes.flatMap(({ method, path, hooks }) =>
  Object.keys((hooks.body as { properties?: object } | undefined)?.properties ?? {}).map(
    (field) => [method, path.replaceAll(/:\w+/g, "7"), field] as const,
  ),
);

test("the routes have bodies with fields", () => expect(hostileBodies.length).toBeGreaterThan(20));

test.each(hostileBodies)(
  "%s %s refuses an object that cannot become text as %s",
  async (method, path, field) => {
    const response = await store.call(method, path, { json: { [field]: HOSTILE } });
    // There is no project 7. The response of an authenticator may be any object, but no sign-in has begun.
    const refusals = ["400 invalid_request", "404 not_found", "401 passkey_refused", "401 not_signed_in"];
    expect(refusals).toContain(await faultOf(response));
  },
);

describe.each(named(guarded))("%s", (_name, operation) => {
  // No record has this id, so that no request revokes a key.
  const path = pathWith(operation, () => "999999999");
  const { method, scope } = operation;

  test("the route gets 401 without a key, with a malformed one and with an unknown one, regardless of its body", async () => {
    const unknown = "aas_7777777777777777777777777777771SlwSS";
    for (const [key, code] of [
      [false, "missing_api_key"],
      ["aas_x", "invalid_api_key"],
      [unknown, "invalid_api_key"],
    ] as const)
      for (const body of method === "GET"
        ? [{}]
        : [{}, { body: "{" }, { body: "{", headers: { "content-type": "application/json" } }])
        expect(await faultOf(await store.call(method, path, { key, ...body }))).toBe(`401 ${code}`);
  });

  test("the route gets 403 with every other scope, and not with its own", async () => {
    const others = (Object.keys(SCOPES) as Scope[]).filter((other) => other !== scope);
    expect(
      await faultOf(await store.call(method, path, { key: await store.createKey({ scopes: others }) })),
    ).toBe("403 insufficient_scope");
    const own = await store.call(method, path, { key: await store.createKey({ scopes: [scope as Scope] }) });
    const isStream = own.headers.get("content-type") === "text/event-stream";
    const text = isStream ? await own.body?.cancel() : await own.text();
    expect(text?.includes("lacks the scope") ?? false).toBe(false);
  });

  test("the route refuses a query parameter that it does not know", async () => {
    const json = operation.bodySchema && { json: { name: "x", categoryId: 1, scopes: ["pets:read"] } };
    const response = await store.call(method, `${path}?nonsense=1`, json ?? {});
    expect(response.status).toBe(400);
    expect(await messageOf(response)).toStartWith("nonsense: is not a known query parameter");
  });
});

test.each(DOCUMENTS)("every reference within the %s document resolves", async (name) => {
  const documents = await generateDocuments(store.app);
  const document = documents(name, { baseUrl: "", stagingBaseUrl: "" });
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path]) => path ?? "",
  );
  const resolves = (path: string) =>
    path
      .split("/")
      .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
  expect(references.length).toBeGreaterThan(10);
  expect(references.filter((path) => resolves(path) === undefined)).toEqual([]);
});
