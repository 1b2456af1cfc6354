import { expect, test } from "bun:test";
import { completeBlobsUrl, parseBlobsUrl } from "../../../src/lib/blobs-url.ts";
import { openObjectStore } from "../../../src/protocols/s3/object-store.ts";
import { ObjectStoreError } from "../../../src/protocols/s3/object-store-error.ts";
import { objectServer } from "../../support/object-server.ts";

const storeAt = (url: string, options: Parameters<typeof openObjectStore>[1] = {}) =>
  openObjectStore(completeBlobsUrl(parseBlobsUrl(url), {}), { retryMs: 1, ...options });

const bytesOf = (text: string) => new TextEncoder().encode(text);

const textOf = async (parts: AsyncIterable<Uint8Array> | undefined) =>
  parts && Buffer.concat(await Array.fromAsync(parts)).toString();

const errorOf = (promise: Promise<unknown>): Promise<ObjectStoreError> =>
  promise.then(
    () => {
      throw new Error("it succeeded");
    },
    (error: ObjectStoreError) => error,
  );

test("an object is stored below the prefix, read, described, listed and removed", async () => {
  await using server = objectServer();
  const store = storeAt(server.url);
  await store.put("blobs/one", bytesOf("hello"));
  await store.put("blobs/none", bytesOf(""));
  expect([...server.objects.keys()]).toEqual(["sites/store/blobs/one", "sites/store/blobs/none"]);
  expect(await textOf(await store.get("blobs/one"))).toBe("hello");
  expect(await textOf(await store.get("blobs/none"))).toBe("");
  expect((await store.stat("blobs/one"))?.size).toBe(5);
  expect((await Array.fromAsync(store.list("blobs/"))).map(({ name }) => name)).toEqual([
    "blobs/none",
    "blobs/one",
  ]);
  await store.remove("blobs/one");
  expect(await store.stat("blobs/one")).toBeUndefined();
  expect(await store.get("blobs/one")).toBeUndefined();
});

test("a list continues after the thousandth object", async () => {
  await using server = objectServer();
  const store = storeAt(server.url);
  for (let at = 0; at < 2500; at++)
    server.objects.set(`sites/store/blobs/${String(at).padStart(4, "0")}`, {
      bytes: bytesOf("x"),
      modifiedAt: 1000,
    });
  const found = await Array.fromAsync(store.list("blobs/"));
  expect(new Set(found.map(({ name }) => name)).size).toBe(2500);
  expect(found[0]?.modifiedAt).toBe(1000);
});

test("a request is retried after the store failed", async () => {
  await using server = objectServer();
  const store = storeAt(server.url);
  let failures = 2;
  server.intercept(() => (failures-- > 0 ? server.error(503, "SlowDown") : undefined));
  await store.put("blobs/one", bytesOf("hello"));
  expect(server.requests).toHaveLength(3);
  expect(server.objects.size).toBe(1);
});

test("a refused request is not retried, and its error explains what to do", async () => {
  await using server = objectServer();
  const store = storeAt(server.url);
  server.intercept(() => server.error(403, "AccessDenied"));
  const error = await errorOf(store.put("blobs/one", bytesOf("hello")));
  expect(error).toBeInstanceOf(ObjectStoreError);
  expect(error.message).toBe(
    `the object store s3://sites/store at ${server.endpoint} cannot be used: it responded 403 AccessDenied: give these keys the permissions that the manual lists, or use other keys`,
  );
  expect(server.requests).toHaveLength(1);
});

test("a bucket that is missing is not taken for a missing object", async () => {
  await using server = objectServer();
  server.intercept(() => server.error(404, "NoSuchBucket"));
  const error = await errorOf(storeAt(server.url).get("blobs/one"));
  expect(error.code).toBe("NoSuchBucket");
});

test("no error holds a key or a signature", async () => {
  const store = storeAt("s3://the-key:the-secret@sites/store?endpoint=http://127.0.0.1:9", { tries: 2 });
  for (const act of [
    () => store.put("a", bytesOf("x")),
    () => store.get("a"),
    () => store.stat("a"),
    () => store.remove("a"),
    () => Array.fromAsync(store.list("")),
  ]) {
    const error = await errorOf(act());
    expect(error).toBeInstanceOf(ObjectStoreError);
    expect(Bun.inspect(error)).not.toMatch(/the-key|the-secret|Signature|X-Amz/);
    expect(error.message).toContain("the connection was refused");
  }
});

test("a request ends when the store stops sending", async () => {
  await using server = objectServer();
  const never = new Promise<undefined>(() => {});
  server.intercept(() => never);
  const store = storeAt(server.url, { stallMs: 20, tries: 2 });
  expect((await errorOf(store.stat("a"))).message).toContain("it sent nothing for 0.02 s");
  expect((await errorOf(Array.fromAsync(store.list("")))).message).toContain("it sent nothing");
  server.intercept(
    () =>
      new Response(
        (async function* () {
          yield bytesOf("x");
          await never;
        })(),
      ),
  );
  const parts = await store.get("a");
  expect((await errorOf(textOf(parts))).message).toContain("it sent nothing");
});

test("a download that makes progress may take longer than the limit on silence", async () => {
  await using server = objectServer();
  server.intercept(
    () =>
      new Response(
        (async function* () {
          for (const part of ["a", "b", "c", "d", "e", "f"]) {
            await Bun.sleep(100);
            yield bytesOf(part);
          }
        })(),
      ),
  );
  const store = storeAt(server.url, { stallMs: 400, tries: 1 });
  expect(await textOf(await store.get("slow"))).toBe("abcdef");
});

test("every request is reported with its outcome", async () => {
  await using server = objectServer();
  const reported: string[] = [];
  const store = storeAt(server.url, {
    tries: 1,
    onRequest: (operation, error) => reported.push(`${operation} ${error?.code ?? "ok"}`),
  });
  await store.put("a", bytesOf("x"));
  server.intercept(() => server.error(500, "InternalError"));
  await errorOf(store.get("a"));
  expect(reported).toEqual(["put ok", "get InternalError"]);
});

test("a removal is not sent once it is no longer allowed", async () => {
  await using server = objectServer();
  const store = storeAt(server.url);
  await store.put("a", bytesOf("x"));
  expect((await errorOf(store.remove("a", () => false))).message).toContain("too late");
  expect(server.objects.size).toBe(1);
  expect(server.requests).toEqual(["PUT sites/store/a"]);
});

test("a store without keys cannot be opened, and the error explains where keys belong", () => {
  expect(() => storeAt("s3://sites/store")).toThrow("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
});
