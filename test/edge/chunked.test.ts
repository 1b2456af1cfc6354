import { describe, expect, test } from "bun:test";
import { tarGzOf } from "../platform/deploys/archives.ts";
import type { Store } from "../support/store.ts";
import { NAME, openListening, statusesOf } from "./listening.ts";
import { http2To } from "../protocols/tls/listeners.ts";

const headOf = ({ key }: Store, ...lines: string[]) =>
  ["POST /v1/pets HTTP/1.1", `Host: ${NAME}`, `Authorization: Bearer ${key}`, ...lines, "", ""].join("\r\n");

const CHUNKED = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
const BODY = '{"name":"Bella","categoryId":1}';
const CHUNK = `${BODY.length.toString(16)}\r\n${BODY}\r\n`;
const TRAILER = "X-Checksum: 1\r\n\r\n";

const petsIn = async (store: Store): Promise<number> =>
  ((await (await store.call("GET", "/v1/pets")).json()) as unknown[]).length;

describe.each(["HTTP", "HTTPS"] as const)("over %s", (over) => {
  test("a chunked request that announces trailers gets 400 and changes nothing", async () => {
    const { store, send } = await openListening();
    const head = headOf(store, ...CHUNKED, "Trailer: X-Checksum", "X-Request-Id: mine");
    const text = await send(over, `${head}${CHUNK}0\r\n`, TRAILER);
    expect(statusesOf(text)).toEqual([400]);
    expect(text).toContain("Trailer");
    expect(text).toMatch(/^connection: close\r$/im);
    expect(await petsIn(store)).toBe(0);
    expect(store.log).toContainEqual(expect.objectContaining({ requestId: "mine", status: 400 }));
  });

  test.each([
    ["in one packet", (head: string) => [`${head}${CHUNK}0\r\n${TRAILER}`]],
    ["after the head", (head: string) => [head, `${CHUNK}0\r\n${TRAILER}`]],
    ["with the end of the last chunk's line", (head: string) => [`${head}${CHUNK}0`, `\r\n${TRAILER}`]],
  ])("a chunked request with trailers that come %s gets 400 and changes nothing", async (_, split) => {
    const { store, send } = await openListening();
    expect(statusesOf(await send(over, ...split(headOf(store, ...CHUNKED))))).toEqual([400]);
    expect(await petsIn(store)).toBe(0);
  });

  test("a chunked request that uploads a deploy with trailers gets 400 and publishes nothing", async () => {
    const { store, send } = await openListening();
    await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs" } });
    const head = headOf(store, "Content-Type: application/gzip", "Transfer-Encoding: chunked");
    const archive = tarGzOf([{ name: "index.html", content: "home" }]).toString("latin1");
    const chunk = `${archive.length.toString(16)}\r\n${archive}\r\n`;
    const parts = [head.replace("/v1/pets", "/platform/projects/docs/deploys"), `${chunk}0\r\n${TRAILER}`];
    expect(statusesOf(await send(over, ...parts))).toEqual([400]);
    const deploys = await store.call("GET", "/platform/projects/docs/deploys");
    expect(await deploys.json()).toEqual([]);
  });

  test("a chunked request with trailers that arrive after the response gets no second response", async () => {
    const { store, open } = await openListening();
    const { write, responded: answered, closed } = await open(over);
    write(`${headOf(store, ...CHUNKED)}${CHUNK}0\r\n`);
    await answered();
    write(TRAILER);
    expect(statusesOf(await closed())).toEqual([201]);
    expect(await petsIn(store)).toBe(1);
  });

  test.each([
    ["a valid key", (head: string) => head, 201],
    ["no key", (head: string) => head.replace(/Authorization: .*\r\n/, ""), 401],
    ["a path that does not exist", (head: string) => head.replace("/v1/pets", "/nothing"), 404],
  ])(
    "a chunked request with %s closes its connection, and the next request gets no response",
    async (_, change, status) => {
      const { store, open } = await openListening();
      const { write, responded: answered, closed } = await open(over);
      write(`${change(headOf(store, ...CHUNKED))}${CHUNK}0\r\n\r\n`);
      await answered();
      write(`GET /livez HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`);
      const text = await closed();
      expect(statusesOf(text)).toEqual([status]);
      expect(text).toMatch(/^connection: close\r$/im);
    },
  );
});

test("trailers over HTTP/2 are read and ignored", async () => {
  const { store, https } = await openListening();
  const session = await http2To(https.port, NAME);
  const stream = session.request(
    {
      ":method": "POST",
      ":path": "/v1/pets",
      authorization: `Bearer ${store.key}`,
      "content-type": "application/json",
      trailer: "x-checksum",
    },
    { waitForTrailers: true },
  );
  stream.on("wantTrailers", () => stream.sendTrailers({ "x-checksum": "1" }));
  stream.end(BODY);
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  stream.on("response", resolve).on("error", reject);
  expect(await promise).toMatchObject({ ":status": 201 });
  expect(await petsIn(store)).toBe(1);
});

test("Bun drops a write with a second request in the same packet: nothing is written, and neither gets a response", async () => {
  const { store, send } = await openListening();
  const write = `${headOf(store, "Content-Type: application/json", `Content-Length: ${BODY.length}`)}${BODY}`;
  expect(await send("HTTP", write + write)).toBe("");
  expect(await petsIn(store)).toBe(0);
});
