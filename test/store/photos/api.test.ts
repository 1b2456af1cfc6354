import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { addPet, faultOf, messageOf, openStore } from "../../support/store.ts";
import { gif, hostileFiles, jpeg, png, webp } from "../../support/images.ts";
import { type PhotoBody, PHOTOS, addPhoto, blobsOf, listPhotos, sendPhoto, withBella } from "./photos.ts";

const openWithBella = async (...settings: Parameters<typeof openStore>) =>
  withBella(await openStore(...settings));

test("a photo is added, listed and fetched, and its upload leaves no file behind", async () => {
  const store = await openWithBella();
  const response = await sendPhoto(store, await jpeg(800, 600), { path: `${PHOTOS}?alt=On%20a%20sofa` });
  expect([response.status, response.headers.get("location")]).toEqual([201, `${PHOTOS}/1`]);
  const photo = (await response.json()) as PhotoBody;
  expect(photo).toEqual({
    id: 1,
    alt: "On a sofa",
    width: 800,
    height: 600,
    placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
    position: 0,
    createdAt: "2026-11-20T00:00:00.000Z",
    sizes: [
      { width: 320, height: 240, url: `${PHOTOS}/1/320.webp` },
      { width: 640, height: 480, url: `${PHOTOS}/1/640.webp` },
    ],
    preview: `${PHOTOS}/1/preview.jpg`,
  });
  expect(await listPhotos(store)).toEqual([photo]);
  const one = await store.call("GET", `${PHOTOS}/1`);
  expect(one.headers.get("etag")).toBe(response.headers.get("etag"));
  expect((await one.json()) as PhotoBody).toEqual(photo);
  expect(readdirSync(join(store.config.dataDir, "photo-uploads"))).toEqual([]);
});

test.each([
  ["image/jpeg", jpeg],
  ["image/png", png],
  ["image/webp", webp],
  ["image/gif", async (width: number, height: number) => gif(width, height)],
  ["IMAGE/JPEG; q=1", png],
] as const)("a photo that is sent as %s is accepted by its content", async (type, make) => {
  const store = await openWithBella();
  expect((await addPhoto(store, await make(30, 20), { headers: { "content-type": type } })).width).toBe(30);
});

test("a form adds its file with its text", async () => {
  const store = await openWithBella();
  const form = new FormData();
  form.set("alt", "Bella und ein Ball");
  form.set("file", new File([await png(30, 20)], "a.png", { type: "image/png" }));
  const body = new Response(form);
  const type = body.headers.get("content-type") ?? "";
  const photo = await addPhoto(store, await body.bytes(), { headers: { "content-type": type } });
  expect([photo.alt, photo.width]).toEqual(["Bella und ein Ball", 30]);
});

test.each([
  ["without a file", "--x\r\ncontent-disposition: form-data; name=alt\r\n\r\nA\r\n--x--\r\n", /0 files/],
  [
    "with two files",
    "--x\r\ncontent-disposition: form-data; name=a; filename=a\r\n\r\nA\r\n--x\r\ncontent-disposition: form-data; name=b; filename=b\r\n\r\nB\r\n--x--\r\n",
    /2 files/,
  ],
  ["of another boundary", "--y--\r\n", /0 files/],
  ["that ends early", "--x\r\ncontent-disposition: form-data; name=a; filename=a\r\n\r\nA", /0 files/],
  [
    "of a hundred parts",
    `${"--x\r\ncontent-disposition: form-data; name=b\r\n\r\nB\r\n".repeat(99)}--x\r\ncontent-disposition: form-data; name=a; filename=a\r\n\r\nA\r\n--x--`,
    /0 files/,
  ],
])("a form %s is refused", async (_name, body, message) => {
  const store = await openWithBella();
  const response = await sendPhoto(store, body, {
    headers: { "content-type": "multipart/form-data; boundary=x" },
  });
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toMatch(message);
});

test("files that are no photos are refused with the accepted formats, and leave nothing on disk", async () => {
  const store = await openWithBella();
  for (const [name, bytes] of await hostileFiles()) {
    const response = await sendPhoto(store, bytes, { headers: { "content-type": "image/jpeg" } });
    expect([name, await faultOf(response)]).toEqual([name, "400 invalid_image"]);
  }
  expect([await listPhotos(store), blobsOf(store)]).toEqual([[], []]);
});

test("a HEIC that is sent as such is refused with the way to send JPEG", async () => {
  const store = await openWithBella();
  const heic = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  const response = await sendPhoto(store, heic, { headers: { "content-type": "image/heic" } });
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toMatch(/iPhone/);
});

test("other types of content are refused before they are read", async () => {
  const store = await openWithBella();
  const response = await sendPhoto(store, "{}", { headers: { "content-type": "application/json" } });
  expect(response.headers.get("accept")).toMatch(/^multipart\/form-data, image\/jpeg, /);
  expect(await faultOf(response)).toBe("415 unsupported_media_type");
});

test("a photo of more than 25 MB is refused, whether its length is announced or not", async () => {
  const store = await openWithBella();
  const large = new Uint8Array(25 * 2 ** 20 + 1);
  const announced = { "content-length": String(large.length) };
  expect(await faultOf(await sendPhoto(store, large, { headers: announced }))).toBe("413 payload_too_large");
  const response = await sendPhoto(store, large);
  expect(await messageOf(response.clone() as Response)).toBe("The photo is larger than 26214400 bytes.");
  expect(await faultOf(response)).toBe("413 payload_too_large");
});

test.each([
  ["in the address", "x".repeat(501), "a"],
  ["in a form", "", "a\u202eb"],
])("a text that is too long or invisible %s is refused", async (_name, inQuery, inForm) => {
  const store = await openWithBella();
  const form = new FormData();
  form.set("alt", inForm);
  form.set("file", new File([await png(9, 9)], "a.png"));
  const body = new Response(form);
  const path = inQuery ? `${PHOTOS}?alt=${inQuery}` : PHOTOS;
  const type = body.headers.get("content-type") ?? "";
  const response = await sendPhoto(store, await body.bytes(), { path, headers: { "content-type": type } });
  expect(await messageOf(response)).toMatch(/^alt: must be/);
});

test("an animal has at most 30 photos, also if two arrive at the same time", async () => {
  const store = await openWithBella();
  const image = await png(8, 8);
  for (let added = 0; added < 29; added++) await addPhoto(store, image);
  const [one, other] = await Promise.all([sendPhoto(store, image), sendPhoto(store, image)]);
  expect([one.status, other.status].toSorted()).toEqual([201, 409]);
  expect(await faultOf(await sendPhoto(store, image))).toBe("409 photo_limit_reached");
  expect((await listPhotos(store)).map(({ position }) => position)).toEqual(
    Array.from({ length: 30 }, (_, at) => at),
  );
});

test("an animal that does not exist, and one of another photo, get 404", async () => {
  const store = await openWithBella();
  await addPet(store, { name: "Rex" });
  await addPhoto(store, await png(8, 8));
  expect(await faultOf(await sendPhoto(store, await png(8, 8), { path: "/v1/pets/3/photos" }))).toBe(
    "404 not_found",
  );
  for (const path of [
    "/v1/pets/3/photos",
    "/v1/pets/2/photos/1",
    `${PHOTOS}/2`,
    "/v1/pets/2/photos/1/320.webp",
  ])
    expect([path, await faultOf(await store.call("GET", path))]).toEqual([path, "404 not_found"]);
  for (const file of ["1920.webp", "original.png", "constructor", "..%2f..%2fadmin.key"])
    expect([file, await faultOf(await store.call("GET", `${PHOTOS}/1/${file}`))]).toEqual([
      file,
      "404 not_found",
    ]);
});

test("a file is served with a strong tag, to keep for a year", async () => {
  const store = await openWithBella();
  const [{ sizes, preview }] = [await addPhoto(store, await jpeg(700, 500))];
  for (const [url, type] of [
    [sizes[0]?.url ?? "", "image/webp"],
    [preview, "image/jpeg"],
  ] as const) {
    const response = await store.call("GET", url);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": type,
      "cache-control": "private, max-age=31536000, immutable",
      vary: "Authorization",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toBe(`"${Bun.SHA256.hash(await response.bytes(), "hex")}"`);
    const known = await store.call("GET", url, { headers: { "if-none-match": etag } });
    expect([known.status, known.headers.get("cache-control")]).toEqual([
      304,
      "private, max-age=31536000, immutable",
    ]);
    const head = await store.call("HEAD", url);
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
  }
});

test("photos require a key with pets:read, and changes one with pets:write", async () => {
  const store = await openWithBella();
  const { preview } = await addPhoto(store, await png(8, 8));
  const [reader, other] = [
    await store.createKey({ scopes: ["pets:read"] }),
    await store.createKey({ scopes: ["orders:read"] }),
  ];
  for (const path of [PHOTOS, `${PHOTOS}/1`, preview])
    expect([
      await faultOf(await store.call("GET", path, { key: false })),
      await faultOf(await store.call("GET", path, { key: other })),
      (await store.call("GET", path, { key: reader })).status,
    ]).toEqual(["401 missing_api_key", "403 insufficient_scope", 200]);
  expect(await faultOf(await sendPhoto(store, await png(8, 8), { key: reader }))).toBe(
    "403 insufficient_scope",
  );
});

test("a missing file of a photo is reported as damaged", async () => {
  const store = await openWithBella();
  const { preview } = await addPhoto(store, await jpeg(64, 48));
  for (const shard of readdirSync(join(store.config.dataDir, "blobs")))
    if (shard !== "tmp") rmSync(join(store.config.dataDir, "blobs", shard), { recursive: true });
  const response = await store.call("GET", preview);
  expect(await messageOf(response.clone() as Response)).toMatch(/add the photo again/);
  expect(await faultOf(response)).toBe("500 damaged_file");
});

test("a text is changed and cleared, and photos move to any place", async () => {
  const store = await openWithBella();
  for (const width of [11, 12, 13, 14]) await addPhoto(store, await png(width, 9));
  const move = (id: number, json: object) => store.call("PATCH", `${PHOTOS}/${id}`, { json });
  const order = async () =>
    (await listPhotos(store)).map(({ id, position }) => `${position}:${id}`).join(" ");
  expect(await (await move(3, { alt: "Third" })).json()).toMatchObject({ id: 3, alt: "Third", position: 2 });
  expect(await (await move(4, { position: 0 })).json()).toMatchObject({ id: 4, position: 0 });
  expect(await order()).toBe("0:4 1:1 2:2 3:3");
  expect(await (await move(4, { position: 29 })).json()).toMatchObject({ id: 4, position: 3 });
  expect(await order()).toBe("0:1 1:2 2:3 3:4");
  expect(await (await move(2, { position: 2, alt: "Second" })).json()).toMatchObject({
    id: 2,
    alt: "Second",
    position: 2,
  });
  expect(await order()).toBe("0:1 1:3 2:2 3:4");
  expect(await (await move(3, { alt: "" })).json()).toMatchObject({ alt: "" });
  expect((await store.call("DELETE", `${PHOTOS}/3`)).status).toBe(204);
  expect(await order()).toBe("0:1 1:2 2:4");
  for (const json of [
    { position: -1 },
    { position: 30 },
    { position: 0.5 },
    { position: "1" },
    { alt: "a\nb" },
    { x: 1 },
  ])
    expect(await faultOf(await move(1, json))).toBe("400 invalid_request");
  expect(await faultOf(await move(3, { alt: "gone" }))).toBe("404 not_found");
});

test("a change and a deletion apply only to the photo that If-Match names", async () => {
  const store = await openWithBella();
  const added = await sendPhoto(store, await png(8, 8));
  const before = { "if-match": added.headers.get("etag") ?? "" };
  const changed = await store.call("PATCH", `${PHOTOS}/1`, { json: { alt: "A" }, headers: before });
  expect(changed.status).toBe(200);
  for (const method of ["PATCH", "DELETE"])
    expect(
      await faultOf(
        await store.call(method, `${PHOTOS}/1`, {
          headers: before,
          ...(method === "PATCH" && { json: { alt: "B" } }),
        }),
      ),
    ).toBe("412 precondition_failed");
  const now = { "if-match": changed.headers.get("etag") ?? "" };
  expect((await store.call("DELETE", `${PHOTOS}/1`, { headers: now })).status).toBe(204);
});

test("of two changes of the same photo that arrive together, the first makes the second fail", async () => {
  const store = await openWithBella();
  const etag = (await sendPhoto(store, await png(8, 8))).headers.get("etag") ?? "";
  const change = (alt: string) =>
    store.call("PATCH", `${PHOTOS}/1`, { json: { alt }, headers: { "if-match": etag } });
  const both = await Promise.all([change("First"), change("Second")]);
  expect(both.map(({ status }) => status)).toEqual([200, 412]);
  expect((await listPhotos(store)).map(({ alt }) => alt)).toEqual(["First"]);
});

test("a repeated request with its Idempotency-Key adds one photo, and another photo is refused", async () => {
  const store = await openWithBella();
  const [one, other] = [await png(8, 8), await png(9, 9)];
  const headers = { "idempotency-key": "k1" };
  const first = await addPhoto(store, one, { headers });
  const again = await sendPhoto(store, one, { headers });
  expect([again.headers.get("idempotency-replayed"), (await again.json()) as PhotoBody]).toEqual([
    "true",
    first,
  ]);
  expect(await faultOf(await sendPhoto(store, other, { headers }))).toBe("422 idempotency_mismatch");
  expect(await faultOf(await sendPhoto(store, one, { headers, path: `${PHOTOS}?alt=A` }))).toBe(
    "422 idempotency_mismatch",
  );
  expect((await listPhotos(store)).length).toBe(1);
});

test("uploads beyond the queue's bytes get 503 with the time to wait", async () => {
  const store = await openWithBella({ maxQueuedBytes: 3000 });
  const image = await png(8, 8);
  const headers = { "content-length": "1200" };
  const responses = await Promise.all([1, 2, 3, 4].map(() => sendPhoto(store, image, { headers })));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 503, 503]);
  const refused = responses.find(({ status }) => status === 503);
  expect(refused?.headers.get("retry-after")).toBe("30");
  expect((await sendPhoto(store, image, { headers })).status).toBe(201);
  // A body of unknown length counts as the largest.
  expect((await sendPhoto(store, image)).status).toBe(503);
});

test("originals are kept only with KEEP_ORIGINALS, and need pets:write", async () => {
  const image = await png(8, 8);
  const without = await openWithBella();
  expect((await addPhoto(without, image)).original).toBeUndefined();
  const store = await openWithBella({ env: { KEEP_ORIGINALS: "true" } });
  const { original = "", sizes } = await addPhoto(store, image);
  expect([original, sizes.length]).toEqual([`${PHOTOS}/1/original.png`, 1]);
  const response = await store.call("GET", original);
  expect([response.headers.get("content-type"), await response.bytes()]).toEqual(["image/png", image]);
  const reader = await store.createKey({ scopes: ["pets:read"] });
  expect(await faultOf(await store.call("GET", original, { key: reader }))).toBe("403 insufficient_scope");
});

test("each write of a photo is one event with the animal, after the animal's own", async () => {
  const store = await openWithBella();
  const before = await store.call("GET", "/v1/pets/1");
  const image = await png(8, 8);
  for (let added = 0; added < 3; added++) await addPhoto(store, image);
  await store.call("PATCH", `${PHOTOS}/3`, { json: { position: 0 } });
  await store.call("PATCH", `${PHOTOS}/3`, { json: { position: 0, alt: "" } });
  await store.call("DELETE", `${PHOTOS}/1`);
  const events = store.database.client
    .query("SELECT kind, pet_id, name, part FROM pet_events ORDER BY id")
    .all();
  expect(events).toEqual([
    { kind: "added", pet_id: 1, name: "Bella", part: null },
    ...Array.from({ length: 5 }, () => ({ kind: "changed", pet_id: 1, name: "Bella", part: "photos" })),
  ]);
  const pet = store.database.client.query("SELECT revision, updated_at FROM pets").get();
  expect(pet).toEqual({ revision: 0, updated_at: store.clock.now() });
  expect((await store.call("GET", "/v1/pets/1")).headers.get("etag")).toBe(before.headers.get("etag"));
});

test("a photo of an animal whose addition no event has yet comes after that event", async () => {
  const store = await openWithBella();
  const { client } = store.database;
  // As in one transaction with the addition: it is counted only at the end.
  client.run("DELETE FROM pet_events");
  client.run("UPDATE pets_indexed SET counted_to = 0");
  client.run("DELETE FROM pet_events");
  await addPhoto(store, await png(8, 8));
  const kinds = client.query<{ kind: string }, []>("SELECT kind FROM pet_events ORDER BY id").all();
  expect(kinds.map(({ kind }) => kind)).toEqual(["added", "changed"]);
});

test("the disk's reserve is kept free, and nothing is left of the photo", async () => {
  const store = await openWithBella({ freeSpace: () => 1000, env: { DISK_RESERVE: "1MiB" } });
  const response = await sendPhoto(store, await png(8, 8));
  expect(await messageOf(response.clone() as Response)).toMatch(/too little disk space for this photo/);
  expect(await faultOf(response)).toBe("503 storage_unavailable");
  expect([blobsOf(store), await listPhotos(store)]).toEqual([[], []]);
});

test("a client that has gone before its turn adds no photo", async () => {
  const store = await openWithBella();
  const gone = new AbortController();
  const request = new Request(`http://localhost${PHOTOS}`, {
    method: "POST",
    headers: { authorization: `Bearer ${store.key}`, "content-type": "image/png" },
    body: await png(8, 8),
    signal: gone.signal,
  });
  gone.abort();
  await store.app.handle(request);
  expect([await listPhotos(store), existsSync(join(store.config.dataDir, "photo-uploads"))]).toEqual([
    [],
    true,
  ]);
});
