import { describe, expect, test } from "bun:test";
import { photoChangesOf, photoDraftOf } from "../../../src/pages/console/ui/animals/photo-changes.ts";
import { type PhotoUpload, photoQueue } from "../../../src/pages/console/ui/animals/photo-queue.ts";
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

describe("photos that are sent", () => {
  const file = (name: string) => new File(["x"], name);

  const queueOf = () => {
    const sent: { name: string; key: string; end: PromiseWithResolvers<void> }[] = [];
    let shown: readonly PhotoUpload[] = [];
    const queue = photoQueue(
      ({ file: { name }, key }, onProgress) => {
        const end = Promise.withResolvers<void>();
        sent.push({ name, key, end });
        onProgress(0.5);
        return end.promise;
      },
      (uploads) => (shown = uploads),
    );
    const names = () =>
      shown.map((one) => `${one.file.name} ${one.share} ${one.error?.message ?? ""}`.trim());
    return { queue, sent, names, shown: () => shown };
  };

  test("go one after the other, across animals", async () => {
    const { queue, sent, names } = queueOf();
    queue.add(7, [file("a.jpg"), file("b.jpg")]);
    queue.add(8, [file("c.jpg")]);
    expect(names()).toEqual(["a.jpg 0.5", "b.jpg 0", "c.jpg 0"]);
    expect(sent.map(({ name }) => name)).toEqual(["a.jpg"]);
    sent[0]?.end.resolve();
    await Bun.sleep(1);
    expect(names()).toEqual(["b.jpg 0.5", "c.jpg 0"]);
  });

  test("continue after a refused one, which is repeated under the same key", async () => {
    const { queue, sent, names, shown } = queueOf();
    queue.add(7, [file("a.txt"), file("b.jpg")]);
    sent[0]?.end.reject(new Error("Not an image."));
    await Bun.sleep(1);
    expect(names()).toEqual(["a.txt 0.5 Not an image.", "b.jpg 0.5"]);
    sent[1]?.end.resolve();
    await Bun.sleep(1);
    queue.retry(shown()[0]!.key);
    expect(sent[2]).toMatchObject({ name: "a.txt", key: sent[0]?.key });
    sent[2]?.end.resolve();
    await Bun.sleep(1);
    expect(names()).toEqual([]);
  });

  test("leave out a refused one that the user gives up", async () => {
    const { queue, sent, names, shown } = queueOf();
    queue.add(7, [file("a.txt")]);
    sent[0]?.end.reject(new Error("Not an image."));
    await Bun.sleep(1);
    queue.forget(shown()[0]!.key);
    expect(names()).toEqual([]);
  });
});
