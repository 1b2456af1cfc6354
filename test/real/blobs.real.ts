import { expect } from "bun:test";
import { completeBlobsUrl, parseBlobsUrl } from "../../src/lib/blobs-url.ts";
import { openObjectStore } from "../../src/protocols/s3/object-store.ts";
import { MOTO, startMoto } from "./moto.ts";
import { real } from "./support.ts";

const storeAt = (url: string) => openObjectStore(completeBlobsUrl(parseBlobsUrl(url), {}));

real("the object store of moto keeps, lists and removes objects, large ones in parts", [MOTO], async () => {
  await using moto = await startMoto();
  const store = storeAt(moto.url);
  const large = crypto.getRandomValues(new Uint8Array(65_536));
  const content = new Blob(Array.from({ length: 1100 }, () => large));
  await store.put("snapshots/large", content);
  await store.put("blobs/small", new TextEncoder().encode("small"));
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const part of (await store.get("snapshots/large")) ?? []) hasher.update(part);
  expect(hasher.digest("hex")).toBe(Bun.SHA256.hash(await content.bytes(), "hex"));
  expect((await Array.fromAsync(store.list("blobs/"))).map(({ name }) => name)).toEqual(["blobs/small"]);
  await store.remove("blobs/small");
  expect(await store.stat("blobs/small")).toBeUndefined();
  expect(await moto.names()).toEqual(["store/snapshots/large"]);
});
