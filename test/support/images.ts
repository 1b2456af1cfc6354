import { randomBytes } from "node:crypto";

type Pixel = (x: number, y: number) => readonly [red: number, green: number, blue: number];

const STRIPES: Pixel = (x, y) => [(x * 5) & 255, (y * 3) & 255, (x + y) & 255];

const BMP_HEADER_BYTES = 54;

/** An uncompressed image, for `Bun.Image` to encode. */
export const bitmap = (width: number, height: number, pixel: Pixel = STRIPES): Buffer => {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(BMP_HEADER_BYTES + rowBytes * height);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(BMP_HEADER_BYTES, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(-height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      bytes.set(pixel(x, y).toReversed(), BMP_HEADER_BYTES + y * rowBytes + x * 3);
  return bytes;
};

const image = (width: number, height: number, pixel?: Pixel) => new Bun.Image(bitmap(width, height, pixel));

export const jpeg = (width: number, height: number, pixel?: Pixel) =>
  image(width, height, pixel).jpeg().bytes();
export const png = (width: number, height: number, pixel?: Pixel) =>
  image(width, height, pixel).png().bytes();
export const webp = (width: number, height: number, pixel?: Pixel) =>
  image(width, height, pixel).webp().bytes();

/** A GIF of two frames: black, then white. Its codes are of 3 bits, with a clear code after every two pixels. */
export const gif = (width: number, height: number): Buffer => {
  const [CLEAR, END] = [4, 5];
  const frame = (color: number) => {
    const codes = Array.from({ length: width * height }, (_, at) =>
      at % 2 === 0 ? [CLEAR, color] : [color],
    ).flat();
    const bits = [...codes, END].map((code) => code.toString(2).padStart(3, "0"));
    const data = Buffer.alloc(Math.ceil((bits.length * 3) / 8));
    bits.forEach((code, at) =>
      [...code].toReversed().forEach((bit, place) => {
        const position = at * 3 + place;
        data[position >> 3] = (data[position >> 3] ?? 0) | (Number(bit) << (position & 7));
      }),
    );
    const blocks = Array.from({ length: Math.ceil(data.length / 255) }, (_, at) =>
      data.subarray(at * 255, at * 255 + 255),
    );
    const descriptor = Buffer.from([
      0x2c,
      0,
      0,
      0,
      0,
      width & 255,
      width >> 8,
      height & 255,
      height >> 8,
      0,
      2,
    ]);
    return Buffer.concat([
      descriptor,
      ...blocks.flatMap((block) => [Buffer.from([block.length]), block]),
      Buffer.from([0]),
    ]);
  };
  const header = Buffer.from([
    ...Buffer.from("GIF89a"),
    width & 255,
    width >> 8,
    height & 255,
    height >> 8,
    0x81,
    0,
    0,
  ]);
  const palette = Buffer.from([0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255]);
  return Buffer.concat([header, palette, frame(0), frame(1), Buffer.from([0x3b])]);
};

/** A JPEG with this EXIF orientation, and with `comment` as its EXIF ImageDescription. */
export const withExif = (jpegBytes: Uint8Array, orientation: number, comment: string): Buffer => {
  const text = Buffer.from(`${comment}\0`);
  const tiff = Buffer.alloc(38);
  tiff.write("II*\0", "latin1");
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(2, 8);
  // ImageDescription: ASCII, at offset 38.
  for (const [at, value] of [
    [10, 0x010e],
    [12, 2],
    [22, 0x0112],
    [24, 3],
  ] as const)
    tiff.writeUInt16LE(value, at);
  for (const [at, value] of [
    [14, text.length],
    [18, 38],
    [26, 1],
    [30, orientation],
  ] as const)
    tiff.writeUInt32LE(value, at);
  const content = Buffer.concat([Buffer.from("Exif\0\0"), tiff, text]);
  const marker = Buffer.from([0xff, 0xe1, (content.length + 2) >> 8, (content.length + 2) & 255]);
  return Buffer.concat([jpegBytes.subarray(0, 2), marker, content, jpegBytes.subarray(2)]);
};

/** A PNG whose header announces other dimensions. */
export const pngClaiming = (bytes: Uint8Array, width: number, height: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  changed.writeUInt32BE(Bun.hash.crc32(changed.subarray(12, 29)), 29);
  return changed;
};

/** A JPEG whose frame header announces other dimensions. */
export const jpegClaiming = (bytes: Uint8Array, width: number, height: number): Buffer => {
  const changed = Buffer.from(bytes);
  const frame = changed.indexOf(Buffer.from([0xff, 0xc0]));
  changed.writeUInt16BE(height, frame + 5);
  changed.writeUInt16BE(width, frame + 7);
  return changed;
};

/** Files that are no photos, each with its name. */
export const hostileFiles = async (): Promise<[name: string, bytes: Uint8Array][]> => {
  const [small, picture] = [await png(16, 16), await jpeg(64, 48)];
  const heif = (brand: string) =>
    Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0mif1`)]);
  return [
    ["empty", new Uint8Array()],
    ["one byte", Buffer.from([0xff])],
    ["random", randomBytes(4096)],
    ["text", Buffer.from("a cat")],
    ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ["HTML", Buffer.from("<!doctype html><script>alert(1)</script>")],
    ["BMP", bitmap(8, 8)],
    ["TIFF", Buffer.from("49492a0008000000000000000000", "hex")],
    ["HEIC", heif("heic")],
    ["AVIF", heif("avif")],
    ["PNG of 16,000 by 16,000", pngClaiming(small, 16_000, 16_000)],
    ["JPEG of 16,000 by 16,000", jpegClaiming(picture, 16_000, 16_000)],
    ["PNG of 2^31 by 2^31", pngClaiming(small, 2 ** 31 - 1, 2 ** 31 - 1)],
    ["PNG without pixels", pngClaiming(small, 0, 0)],
    ["half a JPEG", picture.subarray(0, picture.length / 2)],
    ["JPEG without its end", picture.subarray(0, -2)],
    ["half a PNG", small.subarray(0, small.length / 2)],
    ["half a WebP", (await webp(64, 48)).subarray(0, 60)],
    ["JPEG in a BMP", Buffer.concat([bitmap(8, 8), picture])],
  ];
};
