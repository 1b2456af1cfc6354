import { expect, test } from "bun:test";
import {
  type CodeSample,
  samplesOf,
  type SampleRequest,
  sampleRequest,
} from "../../../src/pages/openapi/samples.ts";
import { operationsOf } from "../../support/operations.ts";
import { openStore } from "../../support/store.ts";

const store = await openStore();
const { operations } = await operationsOf(store);

const samplesIn = (raw: Record<string, unknown>): CodeSample[] => raw["x-codeSamples"] as CodeSample[];

const sampleOf = (operationId: string, lang: string): string => {
  const operation = operations.find((one) => one.operationId === operationId);
  return samplesIn(operation?.raw ?? {}).find((one) => one.lang === lang)?.source ?? "";
};

test("code samples exist for every operation in four languages, with the path, and never with a key", () => {
  expect(operations.length).toBeGreaterThan(40);
  for (const { raw, isPublic } of operations) {
    const samples = samplesIn(raw);
    expect(samples.map(({ lang }) => lang)).toEqual(["curl", "javascript", "python", "go"]);
    for (const { source } of samples) {
      expect(source).toContain("http://localhost:3000/");
      expect(source).not.toMatch(/[{}]\w+Id|undefined|aas_\w{30}/);
      expect(source.includes("API_KEY")).toBe(!isPublic);
    }
  }
});

test("code samples have a value for every parameter of the path", () => {
  for (const { operationId, base, path } of operations) {
    const [, url = ""] = /^curl (?:-N )?'([^']+)'/.exec(sampleOf(operationId, "curl")) ?? [];
    const template = new RegExp(`^${base}${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    expect(new URL(url).pathname).toMatch(template);
  }
});

test("code samples send required parameters and the page size", () => {
  expect(sampleOf("listPets", "curl")).toContain("curl 'http://localhost:3000/v1/pets?limit=20'");
  expect(sampleOf("getPet", "curl")).toContain("curl 'http://localhost:3000/v1/pets/7'");
  expect(sampleOf("revokeKey", "curl")).toContain("/platform/keys/7' \\\n  -X DELETE");
});

test("code samples send a file where the body is one", () => {
  expect(sampleOf("uploadDeploy", "curl")).toContain("--data-binary '@site.tar.gz'");
  expect(sampleOf("uploadDeploy", "go")).toContain('os.Open("site.tar.gz")');
});

test("code samples use BASE_URL if it is set", async () => {
  const response = await (
    await openStore({ env: { BASE_URL: "https://adopt.example.org" } })
  ).call("GET", "/openapi.json", { key: false });
  expect(await response.text()).toContain("curl 'https://adopt.example.org/v1/pets?limit=20'");
});

/** Characters that mean something in one language or another. */
const HOSTILE = "'\"`$(touch x)${1+1}%s\\n\\\n\t#{y}\u2028\uFEFFÄ🐕";

const REQUEST: SampleRequest = {
  method: "POST",
  url: "http://localhost:3000/a?b='c'",
  isKeyed: true,
  body: { type: "application/json", json: { [HOSTILE]: HOSTILE, plain: [true, false, null, 1.5, {}, []] } },
  response: "json",
};

test("a shell reads hostile text in a sample of curl as data", async () => {
  const [curl] = samplesOf(REQUEST);
  const script = `curl() { printf '%s\\0' "$@"; }\n${curl?.source}`;
  const shell = Bun.spawn(["sh", "-c", script], { env: { API_KEY: "k" }, stdout: "pipe" });
  const words = (await shell.stdout.text()).split("\0");
  expect(words[0]).toBe(REQUEST.url);
  expect(words).toContain("Authorization: Bearer k");
  expect(JSON.parse(words.at(-2) ?? "")).toEqual((REQUEST.body as { json: unknown }).json);
});

test("JavaScript reads hostile text in its sample as data", async () => {
  const source = samplesOf(REQUEST)[1]?.source ?? "";
  const record =
    "globalThis.fetch = async (...call) => { console.log(JSON.stringify(call)); return Response.json({}); };";
  const program = Bun.spawn([process.execPath, "-e", `${record}\n${source}`], { stdout: "pipe" });
  const [url, { body }] = JSON.parse((await program.stdout.text()).split("\n")[0] ?? "");
  expect(url).toBe(REQUEST.url);
  expect(JSON.parse(body)).toEqual((REQUEST.body as { json: unknown }).json);
});

test.each([
  ["its schema", { examples: ["a/b c?"] }, {}],
  ["the schema that it refers to", { $ref: "#/components/schemas/Slug" }, { Slug: { examples: ["a/b c?"] } }],
])("a path parameter is the percent-encoded example of %s", (_, schema, schemas) => {
  const parameters = [{ name: "slug", in: "path", required: true, schema }];
  const { url } = sampleRequest("http://h", "/x/{slug}", "get", { parameters, responses: {} }, schemas);
  expect(url).toBe("http://h/x/a%2Fb%20c%3F");
});
