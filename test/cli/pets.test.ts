import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addPhoto, listPhotos, withBella } from "../store/photos/photos.ts";
import { png } from "../support/images.ts";
import { openStore, temporaryDirectory } from "../support/store.ts";
import { expectFailure, inProcess } from "./program.ts";

const JSON_BODY = { "content-type": "application/json" };

/** The `pets` commands, with the API of a store that has Bella. */
const withServer = async () => {
  const store = await withBella(await openStore());
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => store.app.handle(request) });
  const address = `http://127.0.0.1:${server.port}`;
  const cwd = temporaryDirectory();
  const env = { ADOPTION_STORE_KEY: store.key, ADOPTION_STORE_URL: address };
  return {
    store,
    address,
    cwd,
    run: (...argv: string[]) => inProcess(["pets", ...argv], { env, cwd }),
    [Symbol.dispose]: () => void server.stop(true),
  };
};

test("pets show prints the profile by labels, custom fields, and photos with their addresses", async () => {
  using fixture = await withServer();
  const { store, address, run } = fixture;
  await store.call("POST", "/v1/fields", {
    json: { name: "kennelMate", label: "Shares a kennel with", kind: "text", public: false },
  });
  await store.call("PUT", "/v1/pets/1/profile", {
    json: {
      description: "Calm.\nLikes walks.",
      fee: { amount: 15_000, currency: "EUR" },
      breeds: ["Beagle", "Mixed"],
      neutered: true,
      goodWith: { dogs: "yes" },
      custom: { kennelMate: "Rex" },
    },
  });
  await store.call("PATCH", "/v1/pets/1", {
    body: '{"status":"sold","categoryId":9007199254740993}',
    headers: JSON_BODY,
  });
  await addPhoto(store, await png(400, 300), { path: "/v1/pets/1/photos?alt=On+a+sofa" });
  const { code, out } = await run("show", "1");
  expect([code, out]).toEqual([
    0,
    `Animal                1
Name                  Bella
Category              9007199254740993
Status                adopted
Breeds                Beagle; Mixed
Neutered              yes
Good with dogs        yes
Fee                   150.00 EUR
Description           Calm.
                      Likes walks.
Shares a kennel with  Rex
Photo 1               ${address}/v1/pets/1/photos/1/320.webp
                      On a sofa
`,
  ]);
  const { out: json } = await run("show", "1", "--json");
  expect(json).toContain('"categoryId":9007199254740993,');
  expect(JSON.parse(json)).toMatchObject({
    id: 1,
    name: "Bella",
    profile: { neutered: true },
    photos: [{ id: 1, alt: "On a sofa" }],
  });
});

test("pets show names the category", async () => {
  using fixture = await withServer();
  const { store, run } = fixture;
  await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
  expect((await run("show", "1")).out).toContain("\nCategory  Dogs\n");
});

test("pets photo add adds files in their order, with a description", async () => {
  using fixture = await withServer();
  const { store, address, cwd, run } = fixture;
  for (const [name, width] of [
    ["b.png", 40],
    ["a.png", 50],
  ] as const)
    writeFileSync(join(cwd, name), await png(width, 30));
  expect(await run("photo", "add", "1", "b.png", "--alt", "On a sofa")).toEqual({
    code: 0,
    out: `Photo 1  ${address}/v1/pets/1/photos/1/320.webp\n         On a sofa\n`,
    error: "",
  });
  const { out } = await run("photo", "add", "1", "a.png", "b.png", "--json");
  expect(JSON.parse(out)).toMatchObject([
    { id: 2, width: 50 },
    { id: 3, width: 40 },
  ]);
  expect((await listPhotos(store)).map(({ width, alt }) => [width, alt])).toEqual([
    [40, "On a sofa"],
    [50, ""],
    [40, ""],
  ]);
});

test("pets photo add names the file that is refused, the remedy, and the photos that were added before", async () => {
  using fixture = await withServer();
  const { store, cwd, run } = fixture;
  writeFileSync(join(cwd, "a.png"), await png(50, 30));
  writeFileSync(join(cwd, "b.heic"), Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic"));
  const refused = await run("photo", "add", "1", "a.png", "b.heic", "a.png");
  expectFailure(
    refused,
    1,
    /b\.heic: The server cannot read HEIC or AVIF\..*Most Compatible.* Added before it: 1 photo\./,
  );
  expect(await listPhotos(store)).toHaveLength(1);
  writeFileSync(join(cwd, "large.png"), Buffer.alloc(26 * 2 ** 20));
  expectFailure(await run("photo", "add", "1", "large.png"), 1, "large.png: ");
});

test.each([
  [["show", "0"], 2, "the id of an animal, such as 7"],
  [["show", "9"], 1, "There is no animal with this id"],
  [["photo", "add", "9", "a.png"], 1, "There is no animal with this id"],
  [["photo", "add", "1", "missing.png"], 2, '"missing.png" does not exist: check the name'],
  [["photo", "add", "1", "a.png", "a.png", "--alt", "x"], 2, "--alt describes one photo: name one file"],
])("pets %j is refused with the exit code %i: %s", async (argv, code, message) => {
  using fixture = await withServer();
  writeFileSync(join(fixture.cwd, "a.png"), "");
  expectFailure(await fixture.run(...argv), code, message);
});
