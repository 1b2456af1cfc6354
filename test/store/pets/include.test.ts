import { expect, test } from "bun:test";
import { png } from "../../support/images.ts";
import { addPet, faultOf, openStore, type Store } from "../../support/store.ts";
import { addPhoto } from "../photos/photos.ts";

const jsonAt = async (store: Store, path: string): Promise<unknown> => (await store.call("GET", path)).json();

/** Bella with a profile and two photos, and Rex without. */
const openShelter = async (): Promise<Store> => {
  const store = await openStore();
  await addPet(store, { name: "Bella" });
  await addPet(store, { name: "Rex" });
  await store.call("POST", "/v1/fields", { json: { name: "coat", label: "Coat", kind: "text" } });
  const json = { sex: "female", custom: { coat: "long" } };
  await store.call("PUT", "/v1/pets/1/profile", { json });
  for (const side of [8, 9]) await addPhoto(store, await png(side, side));
  await store.call("PATCH", "/v1/pets/1/photos/2", { json: { position: 0 } });
  return store;
};

test("a read with include adds to each animal what the reads of its profile and photos respond", async () => {
  const store = await openShelter();
  const plain = (await jsonAt(store, "/v1/pets")) as { id: number }[];
  const whole = await Promise.all(
    plain.map(async (pet) => ({
      ...pet,
      profile: await jsonAt(store, `/v1/pets/${pet.id}/profile`),
      photos: await jsonAt(store, `/v1/pets/${pet.id}/photos`),
    })),
  );
  expect(whole).toMatchObject([
    { profile: { sex: "female" }, photos: [{ id: 2 }, { id: 1 }] },
    { photos: [] },
  ]);
  for (const include of ["profile,photos", "photos,profile"]) {
    expect(await jsonAt(store, `/v1/pets?include=${include}`)).toEqual(whole);
    expect(await jsonAt(store, `/v1/pets/1?include=${include}`)).toEqual(whole[0]);
  }
  const withProfiles = whole.map(({ photos: _photos, ...pet }) => pet);
  expect(await jsonAt(store, "/v1/pets?include=profile")).toEqual(withProfiles);
});

test("a list with include shows a change of a profile and of photos at once", async () => {
  const store = await openShelter();
  const path = "/v1/pets?ids=1&include=profile,photos";
  await jsonAt(store, path);
  await store.call("PATCH", "/v1/pets/1/profile", { json: { sex: "male" } });
  expect(await jsonAt(store, path)).toMatchObject([{ profile: { sex: "male" } }]);
  await store.call("DELETE", "/v1/pets/1/photos/2");
  expect(await jsonAt(store, path)).toMatchObject([{ photos: [{ id: 1 }] }]);
});

test("a cursor of a list without include continues one with it", async () => {
  const store = await openShelter();
  const cursor = (await store.call("GET", "/v1/pets?limit=1")).headers.get("next-cursor");
  expect(await jsonAt(store, `/v1/pets?limit=1&include=photos&cursor=${cursor}`)).toMatchObject([
    { id: 2, photos: [] },
  ]);
});

test("an animal with a damaged profile is listed without it", async () => {
  const store = await openShelter();
  store.database.client.query("UPDATE pet_profiles SET data = '['").run();
  const [bella, rex] = (await jsonAt(store, "/v1/pets?include=profile")) as object[];
  expect([bella, rex && Object.keys(rex)]).toEqual([
    { id: 1, name: "Bella", categoryId: 1 },
    ["id", "name", "categoryId", "profile"],
  ]);
});

test.each(["", "all", "profile,profile,profile", "profile, photos", "photo"])(
  "include=%s is refused with the accepted values",
  async (include) => {
    const store = await openStore();
    const response = await store.call("GET", `/v1/pets?include=${encodeURIComponent(include)}`);
    expect(await faultOf(response)).toBe("400 invalid_request");
  },
);
