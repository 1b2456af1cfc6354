import { expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import { MAX_PIXELS, processImage } from "../../../src/store/photos/image.ts";
import { isCompleteJpeg } from "../../../src/store/photos/jpeg.ts";
import { Fault } from "../../../src/lib/errors.ts";
import { processDamagedImages } from "./fuzz.ts";
import {
  gif,
  hostileFiles,
  jpeg,
  jpegClaiming,
  png,
  pngClaiming,
  webp,
  withExif,
} from "../../support/images.ts";

/** The fault of an image that is refused. */
const refusalOf = async (bytes: Uint8Array): Promise<Fault> => {
  const error = await processImage(bytes).then(
    () => new Error("it was accepted"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Fault)) throw error;
  return error;
};

/** The data of a PNG, inflated. */
const rowsOf = (png: Buffer): Buffer => {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return inflateSync(Buffer.concat(data));
};

/** Red, green and blue of a pixel. */
const pixelAt = async (bytes: Uint8Array, x: number, y: number): Promise<number[]> => {
  const image = new Bun.Image(bytes).png({ compressionLevel: 0 });
  const rows = rowsOf(Buffer.from(await image.bytes()));
  const at = y * (1 + image.width * 4) + 1 + x * 4;
  return [...rows.subarray(at, at + 3)];
};

test("a wide photo gets its four sizes and a preview, and reports the size of the original", async () => {
  const { width, height, format, files } = await processImage(await jpeg(2400, 1600));
  expect({ width, height, format }).toEqual({ width: 2400, height: 1600, format: "jpeg" });
  expect(files.map((file) => [file.name, file.type, file.width, file.height])).toEqual([
    ["320.webp", "image/webp", 320, 213],
    ["640.webp", "image/webp", 640, 427],
    ["1280.webp", "image/webp", 1280, 853],
    ["1920.webp", "image/webp", 1920, 1280],
    ["preview.jpg", "image/jpeg", 1200, 630],
  ]);
  for (const file of files)
    expect(await new Bun.Image(file.bytes).metadata()).toEqual({
      width: file.width,
      height: file.height,
      format: file.type.slice("image/".length) as "webp",
    });
});

test.each([
  ["JPEG", jpeg, "jpeg"],
  ["PNG", png, "png"],
  ["WebP", webp, "webp"],
  ["GIF", async (width: number, height: number) => gif(width, height), "gif"],
] as const)(
  "a %s of 700 pixels gets the sizes up to its width, and is not enlarged",
  async (_name, make, format) => {
    const made = await processImage(await make(700, 90));
    expect([made.format, ...made.files.map(({ name }) => name)]).toEqual([
      format,
      "320.webp",
      "640.webp",
      "preview.jpg",
    ]);
  },
);

test("a photo that is smaller than the smallest size keeps its size there", async () => {
  const { files } = await processImage(await png(20, 10));
  expect(files.map(({ name, width, height }) => [name, width, height])).toEqual([
    ["320.webp", 20, 10],
    ["preview.jpg", 1200, 630],
  ]);
});

test("the first frame of a GIF is the photo", async () => {
  const { files } = await processImage(gif(32, 16));
  expect(await pixelAt(files[0]?.bytes ?? new Uint8Array(), 5, 5)).toEqual([0, 0, 0]);
});

test("a photo is upright, and has no metadata of its camera", async () => {
  const tall = withExif(await jpeg(80, 40), 6, "GPS 52.5200 13.4050");
  const { width, height, files, placeholder } = await processImage(tall);
  expect([width, height, files[0]?.width, files[0]?.height]).toEqual([40, 80, 40, 80]);
  expect(tall.includes("GPS 52.5200")).toBe(true);
  for (const { bytes } of files) {
    const text = Buffer.from(bytes);
    expect([text.includes("GPS"), text.includes("Exif")]).toEqual([false, false]);
  }
  expect(placeholder).toMatch(/^data:image\/webp;base64,[\w+/]+=*$/);
});

test("a placeholder is shorter than a kilobyte, whatever the photo shows", async () => {
  let seed = 7;
  const noise = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return [seed & 255, (seed >> 8) & 255, (seed >> 16) & 255] as const;
  };
  expect((await processImage(await png(64, 64, noise))).placeholder.length).toBeLessThan(1024);
});

test.each([
  ["wide", 600, 100],
  ["high", 100, 600],
  ["a line", 2000, 1],
  ["a column", 1, 2000],
])("the preview of an image that is %s shows its middle", async (_name, width, height) => {
  const inMiddle = (x: number, y: number) =>
    Math.abs(x - width / 2) < width / 4 && Math.abs(y - height / 2) < height / 4;
  const isThin = Math.min(width, height) === 1;
  const image = await png(width, height, (x, y) => (isThin || inMiddle(x, y) ? [250, 10, 20] : [0, 0, 250]));
  const preview = (await processImage(image)).files.at(-1)?.bytes ?? new Uint8Array();
  const [red = 0, , blue = 255] = await pixelAt(preview, 600, 315);
  expect(red).toBeGreaterThan(200);
  expect(blue).toBeLessThan(90);
});

test.each([
  ["high", 100, 400],
  ["wide", 400, 100],
])("the preview of an image that is %s is neither mirrored nor turned", async (_name, width, height) => {
  const quarter = (x: number, y: number): readonly [number, number, number] =>
    x < width / 2
      ? y < height / 2
        ? [250, 0, 0]
        : [0, 250, 0]
      : y < height / 2
        ? [0, 0, 250]
        : [250, 250, 250];
  const preview =
    (await processImage(await png(width, height, quarter))).files.at(-1)?.bytes ?? new Uint8Array();
  const corners = await Promise.all(
    [
      [100, 100],
      [100, 500],
      [1100, 100],
      [1100, 500],
    ].map(([x = 0, y = 0]) => pixelAt(preview, x, y)),
  );
  expect(corners.map((pixel) => pixel.map((part) => Number(part > 125)).join(""))).toEqual([
    "100",
    "010",
    "001",
    "111",
  ]);
});

test("a file that is not a photo is refused, and the error lists the accepted formats", async () => {
  for (const [name, bytes] of await hostileFiles()) {
    const { code, message } = await refusalOf(bytes);
    expect([name, code]).toEqual([name, "invalid_image"]);
    expect([name, message]).toEqual([name, expect.stringMatching(/JPEG/)]);
  }
});

test("HEIC and AVIF are refused with the way to send JPEG from a phone", async () => {
  const heic = await refusalOf(Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"));
  expect(heic.message).toMatch(/Most Compatible.*accept="image\/jpeg".*Android/);
});

test("an image of more than 50 megapixels is refused before it is decoded", async () => {
  expect(MAX_PIXELS).toBe(50_000_000);
  const started = performance.now();
  for (const claim of [pngClaiming(await png(9, 9), 8000, 6251), jpegClaiming(await jpeg(9, 9), 8000, 6251)])
    expect((await refusalOf(claim)).message).toMatch(/^The image has too many pixels\. .*50 megapixels/);
  expect(performance.now() - started).toBeLessThan(1000);
});

test("a JPEG is complete only if its markers lead to its end", async () => {
  const whole = await jpeg(300, 200);
  const progressive = await new Bun.Image(whole).jpeg({ progressive: true }).bytes();
  for (const bytes of [whole, progressive, withExif(whole, 1, "\xff\xd9")]) {
    expect(isCompleteJpeg(bytes)).toBe(true);
    expect(isCompleteJpeg(Buffer.concat([bytes, Buffer.from("more")]))).toBe(true);
    for (const cut of [2, 3, 100, bytes.length >> 1])
      expect(isCompleteJpeg(bytes.subarray(0, -cut))).toBe(false);
  }
  expect(isCompleteJpeg(withExif(whole, 1, "\xff\xd9").subarray(0, 100))).toBe(false);
});

test("a hundred damaged images are refused or become photos", async () => {
  expect(await processDamagedImages(100)).toBeWithin(10, 90);
});
