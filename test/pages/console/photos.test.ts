import { describe, expect, test } from "bun:test";
import { photoChangesOf } from "../../../src/pages/console/ui/animals/photo-changes.ts";
import { moved } from "../../../src/pages/console/ui/parts/records.ts";
import type { Photo } from "../../../src/pages/console/ui/animals/profile.ts";

const photos = [12, 15, 19, 23].map((id, position) => ({
  id,
  position,
  alt: id === 15 ? "Asleep" : "",
})) as Photo[];

const [first, second, third, fourth] = photos as [Photo, Photo, Photo, Photo];

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
  test("of an untouched form are none", () => {
    expect(photoChangesOf(photos, photos)).toEqual([]);
  });

  test.each([
    [[second, first, third, fourth], 1],
    [[fourth, first, second, third], 1],
    [[fourth, third, second, first], 3],
  ])("make an order with as few requests as it needs: %#", (order, count) => {
    const changes = photoChangesOf(photos, order);
    expect(applied(changes)).toEqual(order.map(({ id }) => id));
    expect(changes.length).toBe(count);
  });

  test("describe a photo, or clear its description", () => {
    const form = [{ ...first, alt: " On a sofa " }, { ...second, alt: "" }, third, fourth];
    expect(photoChangesOf(photos, form)).toEqual([
      { id: 12, change: { alt: "On a sofa" } },
      { id: 15, change: { alt: "" } },
    ]);
  });

  test("of a deleted photo are only its deletion, and places count without it", () => {
    const form = [{ ...second, alt: "Awake", isDeleted: true }, { ...fourth, alt: "Outside" }, first, third];
    const changes = photoChangesOf(photos, form);
    expect(changes).toEqual([{ id: 15 }, { id: 23, change: { alt: "Outside", position: 0 } }]);
    expect(applied(changes)).toEqual([23, 12, 19]);
  });
});
