import { describe, expect, test } from "bun:test";
import { photoChangesOf, photoDraftOf } from "../../../src/pages/console/ui/animals/photo-changes.ts";
import { moved } from "../../../src/pages/console/ui/parts/records.ts";
import type { Photo } from "../../../src/pages/console/ui/animals/profile.ts";

const photos = [12, 15, 19, 23].map((id, position) => ({
  id,
  position,
  alt: id === 15 ? "Asleep" : "",
})) as Photo[];

/** Applies changes as the API does. */
const applied = (changes: ReturnType<typeof photoChangesOf>): number[] => {
  let ids = photos.map(({ id }) => id);
  for (const { id, change } of changes) {
    if (!change) ids = ids.filter((one) => one !== id);
    else if (change.position !== undefined) ids = moved(ids, id, change.position);
  }
  return ids;
};

describe("the changes of photos", () => {
  const draft = photoDraftOf(photos);

  test("of an untouched form are none", () => {
    expect(photoChangesOf(photos, draft)).toEqual([]);
  });

  test.each([
    ["15,12,19,23", 1],
    ["23,12,15,19", 1],
    ["23,19,15,12", 3],
  ])("make the order %s with %d requests", (order, count) => {
    const changes = photoChangesOf(photos, { ...draft, order });
    expect(applied(changes).join(",")).toBe(order);
    expect(changes.length).toBe(count);
  });

  test("describe a photo, or clear its description", () => {
    const texts = { ...draft, "alt.12": " On a sofa ", "alt.15": "" };
    expect(photoChangesOf(photos, texts)).toEqual([
      { id: 12, change: { alt: "On a sofa" } },
      { id: 15, change: { alt: "" } },
    ]);
  });

  test("of a deleted photo are only its deletion, and places count without it", () => {
    const changes = photoChangesOf(photos, {
      order: "15,23,12,19",
      "alt.12": "",
      "alt.15": "Awake",
      "delete.15": "yes",
      "alt.19": "",
      "alt.23": "",
    });
    expect(changes).toEqual([{ id: 15 }, { id: 23, change: { position: 0 } }]);
    expect(applied(changes)).toEqual([23, 12, 19]);
  });
});
