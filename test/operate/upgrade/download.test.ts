import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { type Server, createServer } from "node:tls";
import { download, downloadText, stageCandidate } from "../../../src/operate/upgrade/candidate.ts";
import { type Pair, createTestCa } from "../../support/certificates.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const PROGRAM = "#!/bin/sh\necho 9.0.0\n";
const sum = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const moved = (to: string) => `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`;

/** What both HTTPS servers on loopback send for each path, before they close the connection. */
const responses = new Map<string, string>();
const servers: Server[] = [];
let base = "";

/** @returns its origin */
const listen = async (pair: Pair): Promise<string> => {
  const server = createServer(pair, (socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      const path = data.toString().split(" ")[1] ?? "";
      socket.end(responses.get(path) ?? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
  }).listen(0, "localhost");
  servers.push(server);
  await once(server, "listening");
  const address = server.address();
  return `https://localhost:${typeof address === "object" ? address?.port : ""}`;
};

beforeAll(async () => {
  const { root, issue } = await createTestCa();
  const pair = await issue(["localhost"]);
  base = await listen(pair);
  const other = await listen(pair);
  const send = globalThis.fetch;
  const trusting = (url: string | URL | Request, init?: BunFetchRequestInit) =>
    send(url, { ...init, keepalive: false, tls: { ca: root } });
  spyOn(globalThis, "fetch").mockImplementation(Object.assign(trusting, { preconnect: send.preconnect }));
  for (const [path, response] of Object.entries({
    "/text": ok("hello"),
    "/empty": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "/moved": moved("/again"),
    "/again": moved(`${other}/text`),
    "/round": moved("/round"),
    ...Object.fromEntries([1, 2, 3, 4, 5].map((left) => [`/steps/${left}`, moved(`/steps/${left - 1}`)])),
    "/steps/0": ok("hello"),
    "/steps/6": moved("/steps/5"),
    "/plain": moved(`${base.replace("https", "http")}/text`),
    "/nowhere": moved("https://"),
    "/short": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
    "/chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "/program": ok(PROGRAM),
    "/SHA256SUMS": ok(`${"0".repeat(64)}  other\n${sum(PROGRAM)}  program\n${sum("other")}  text\n`),
    "/huge/program": ok(PROGRAM),
    "/huge/SHA256SUMS": ok(`${sum(PROGRAM)}  program\n`.padEnd(2 ** 20 + 1)),
    "/bare/program": ok(PROGRAM),
  }))
    responses.set(path, response);
});

afterAll(() => {
  (globalThis.fetch as unknown as { mockRestore(): void }).mockRestore();
  for (const server of servers) server.close();
});

test("a download is the content that the server sends", async () => {
  expect(await downloadText(`${base}/text`, 5)).toBe("hello");
  expect(await downloadText(`${base}/empty`, 5)).toBe("");
});

test("a download follows up to five redirects, to another server too", async () => {
  expect(await downloadText(`${base}/moved`, 5)).toBe("hello");
  expect(await downloadText(`${base}/steps/5`, 5)).toBe("hello");
});

test.each([
  ["redirects without end", "/round", "it redirects more than 5 times"],
  ["redirects six times", "/steps/6", "it redirects more than 5 times"],
  ["redirects to plain HTTP", "/plain", "only https is allowed"],
  ["redirects to no address", "/nowhere", "https://: only https is allowed"],
  ["is missing", "/missing", "the server responds with 404"],
  ["ends before its length", "/short", "the connection ended before the end of the file"],
  ["ends before its last chunk", "/chunked", "the connection ended before the end of the file"],
])("a download is refused if it %s", async (_, path, reason) => {
  expect(await outcomeOf(downloadText(base + path, 100))).toThrow(
    expect.objectContaining({ name: "OperatorError", message: expect.stringContaining(reason) }),
  );
});

test("a download is refused from the first byte beyond the limit", async () => {
  expect(await outcomeOf(Array.fromAsync(download(`${base}/text`, 4)))).toThrow("it has more than 4 bytes");
});

const stage = async (path: string, sha256?: string) => {
  const file = join(temporaryDirectory(), "new");
  try {
    return { ...(await stageCandidate(base + path, file, sha256, () => {})), file };
  } catch (error) {
    expect(existsSync(file)).toBe(false);
    throw error;
  }
};

test("a new executable at a URL has its checksum in SHA256SUMS next to it", async () => {
  const { file, ...candidate } = await stage("/program");
  expect(candidate).toEqual({
    version: "9.0.0",
    migration: undefined,
    sha256: sum(PROGRAM),
    isVerified: true,
  });
  expect(readFileSync(file, "utf8")).toBe(PROGRAM);
});

test.each([
  ["SHA256SUMS has another checksum", "/text", undefined, "do not use this file"],
  ["the given checksum is another, regardless of SHA256SUMS", "/program", sum("x"), "do not use this file"],
  ["SHA256SUMS does not list it", "/short", undefined, "SHA256SUMS does not list short"],
  ["SHA256SUMS is missing", "/bare/program", undefined, "give the checksum that the publisher names"],
  ["SHA256SUMS is too large", "/huge/program", undefined, "it has more than 1048576 bytes"],
  ["the response is incomplete", "/short", sum("hello"), "the connection ended before the end of the file"],
])("a new executable at a URL is refused, and leaves no file, if %s", async (_, path, sha256, reason) => {
  expect(await outcomeOf(stage(path, sha256))).toThrow(reason);
});
