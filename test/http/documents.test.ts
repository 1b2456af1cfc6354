import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { openStore } from "../support/store.ts";

const PATHS = ["/openapi.json", "/platform/openapi.json"] as const;

interface Served {
  servers: { url: string; description: string; variables?: object }[];
}

const serversAt = async (path: string, env: Record<string, string>, headers: Record<string, string> = {}) => {
  const store = await openStore({ env });
  const answer = await store.call("GET", path, { key: false, headers });
  return ((await answer.json()) as Served).servers;
};

describe("a served document", () => {
  test("names the server relatively while BASE_URL is not set, whatever the Host header says", async () => {
    const host = { host: "evil.example.org", "x-forwarded-host": "evil.example.org" };
    expect(await serversAt("/openapi.json", {}, host)).toEqual([{ url: "/v1", description: "Production" }]);
    expect(await serversAt("/platform/openapi.json", {}, host)).toEqual([
      { url: "/", description: "Production" },
    ]);
  });

  test("names BASE_URL, and staging only if that is configured", async () => {
    const env = { BASE_URL: "https://adopt.example.org" };
    const production = { url: "https://adopt.example.org/v1", description: "Production" };
    expect(await serversAt("/openapi.json", env)).toEqual([production]);
    expect(
      await serversAt("/openapi.json", { ...env, STAGING_BASE_URL: "https://staging.example.org" }),
    ).toEqual([production, { url: "https://staging.example.org/v1", description: "Staging" }]);
    expect(await serversAt("/platform/openapi.json", env)).toEqual([
      { url: "https://adopt.example.org", description: "Production" },
    ]);
  });

  test.each(PATHS)(
    "%s comes in the coding that the client prefers, each with a tag of its own",
    async (path) => {
      const store = await openStore();
      const get = async (acceptEncoding: string) => {
        const answer = await store.call("GET", path, {
          key: false,
          headers: { "accept-encoding": acceptEncoding },
        });
        const { headers } = answer;
        expect([answer.status, headers.get("content-type")]).toEqual([200, "application/json"]);
        expect([headers.get("vary"), headers.get("cache-control")]).toEqual(["Accept-Encoding", "no-cache"]);
        return {
          coding: headers.get("content-encoding"),
          tag: headers.get("etag"),
          bytes: await answer.bytes(),
        };
      };
      const [plain, br, gzip] = [await get(""), await get("gzip, br"), await get("br;q=0.5, gzip")];
      expect([plain.coding, br.coding, gzip.coding]).toEqual([null, "br", "gzip"]);
      expect(new Set([plain.tag, br.tag, gzip.tag]).size).toBe(3);
      expect(brotliDecompressSync(br.bytes)).toEqual(Buffer.from(plain.bytes));
      expect(gunzipSync(gzip.bytes)).toEqual(Buffer.from(plain.bytes));
      expect(br.bytes.length).toBeLessThan(plain.bytes.length / 8);
      expect((await get("br;q=0, gzip;q=0")).coding).toBeNull();
    },
  );

  test.each(PATHS)("%s is 304, with what caches need, for who has it already", async (path) => {
    const store = await openStore();
    const ask = (headers: Record<string, string>) => store.call("GET", path, { key: false, headers });
    const tag = (await ask({ "accept-encoding": "br" })).headers.get("etag") ?? "";
    const known = await ask({ "accept-encoding": "br", "if-none-match": `"other", ${tag}` });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    expect(Object.fromEntries(known.headers)).toMatchObject({
      etag: tag,
      vary: "Accept-Encoding",
      "cache-control": "no-cache",
    });
    // Another coding is another representation.
    expect((await ask({ "if-none-match": tag })).status).toBe(200);
  });
});
