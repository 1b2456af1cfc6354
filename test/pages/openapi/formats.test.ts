import { expect, test } from "bun:test";
import { parse } from "yaml";
import type { Node } from "../../support/operations.ts";
import { openStore } from "../../support/store.ts";

const store = await openStore();
const get = (path: string, headers: Record<string, string> = {}) =>
  store.call("GET", path, { key: false, headers });

test.each(["/openapi", "/platform/openapi"])("%s.yaml is the same document as the JSON", async (path) => {
  const yaml = await get(`${path}.yaml`);
  expect(yaml.headers.get("content-type")).toBe("application/yaml");
  expect(parse(await yaml.text())).toEqual(await (await get(`${path}.json`)).json());
});

test.each(["/openapi.yaml", "/platform/openapi.postman.json"])(
  "a client that already has %s gets 304",
  async (path) => {
    const tag = (await get(path)).headers.get("etag") ?? "";
    expect((await get(path, { "if-none-match": tag })).status).toBe(304);
    expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
  },
);

interface Item {
  name: string;
  item?: Item[];
  request?: {
    method: string;
    url: { raw: string; variable?: { key: string; value: string }[] };
    auth?: { type: string };
    body?: { mode: string; raw?: string };
  };
}

const collection = async (path: string) =>
  (await (await get(path)).json()) as {
    auth: Node;
    variable: { key: string; value: string }[];
    item: Item[];
  };

const requestsIn = ({ item }: { item?: Item[] }): Item[] =>
  (item ?? []).flatMap((one) => (one.request ? [one] : requestsIn(one)));

test("the Postman collection has a request for each operation, in a folder for each tag", async () => {
  const paths = ((await (await get("/openapi.json")).json()) as { paths: Record<string, object> }).paths;
  const { item } = await collection("/openapi.postman.json");
  expect(item[0]?.name).toBe("animals");
  expect(requestsIn({ item }).length).toBe(
    Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0),
  );
});

test("a request of the Postman collection has its address, its example body and the collection's key", async () => {
  const { auth, variable, item } = await collection("/openapi.postman.json");
  expect(variable).toEqual([
    { key: "baseUrl", value: "http://localhost:3000/v1", type: "string" },
    { key: "apiKey", value: "", type: "string" },
  ] as never);
  expect(auth).toEqual({ type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] });
  const change = requestsIn({ item }).find(({ name }) => name === "Change an animal")?.request;
  expect(change).toMatchObject({ method: "PATCH", url: { raw: "{{baseUrl}}/pets/:petId" } });
  expect(change?.url.variable).toMatchObject([{ key: "petId", value: "7" }]);
  expect(JSON.parse(change?.body?.raw ?? "")).toEqual({ status: "sold" });
});

test("requests without authentication have none in the Postman collection", async () => {
  const requests = requestsIn(await collection("/platform/openapi.postman.json"));
  const isOpen = (name: string) =>
    requests.find((one) => one.name === name)?.request?.auth?.type === "noauth";
  expect([isOpen("Check that the process is alive"), isOpen("List API keys")]).toEqual([true, false]);
});
