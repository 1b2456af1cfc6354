import { Fault } from "../../lib/errors.ts";
import { isCompleteJpeg } from "./jpeg.ts";

/** Formats of photos, by their name in `Bun.Image`, with their media types. */
export const IMAGE_TYPES = {
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  gif: "image/gif",
} as const;

type Format = keyof typeof IMAGE_TYPES;

/** Pixels of the largest image: decoded, it takes 200 MB of memory. */
export const MAX_PIXELS = 50_000_000;

/** The widths of the sizes, in pixels. */
const WIDTHS = [320, 640, 1280, 1920] as const;
const MAX_WIDTH = 1920;
/** A size is at most so many times as high as wide. */
const MAX_HEIGHT_FACTOR = 2;

/** The size of link previews in most apps. */
const PREVIEW = { width: 1200, height: 630 };

const HEIF_ADVICE =
  'On an iPhone, choose Settings > Camera > Formats > Most Compatible, or use a form with accept="image/jpeg", for which Safari converts it. On Android, turn off "High efficiency pictures" in the camera\'s settings.';

const invalid = (problem: string, advice = ""): Fault =>
  new Fault(
    "invalid_image",
    `${problem} Send a JPEG, PNG, WebP or GIF of at most 50 megapixels. ${advice}`.trim(),
  );

/** In pixels. */
interface Size {
  width: number;
  height: number;
}

/** A file that a photo is stored as. */
export interface ImageFile extends Size {
  /** `640.webp`, `preview.jpg` or `original.png`. */
  name: string;
  type: string;
  bytes: Uint8Array;
}

/** A photo. Its size is that of the original, upright. */
interface PhotoImage extends Size {
  /** A blurred picture, as a data URL. */
  placeholder: string;
  format: Format;
  /** The sizes in ascending order, and the preview. */
  files: ImageFile[];
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ERR_IMAGE_TOO_MANY_PIXELS: "The image has too many pixels.",
  ERR_IMAGE_UNKNOWN_FORMAT: "The file is not an image that the server can read.",
  ERR_IMAGE_FORMAT_UNSUPPORTED: "The file is not an image that the server can read.",
  ERR_INVALID_STATE: "The file is empty.",
  ERR_IMAGE_DECODE_FAILED: "The image is damaged or incomplete.",
};

/** The fault for an error of `Bun.Image` that the image causes. Other errors stay. */
const faultOf = (error: unknown): unknown => {
  const problem = PROBLEMS[error instanceof Error && "code" in error ? String(error.code) : ""];
  return problem === undefined ? error : invalid(problem);
};

/** True for HEIC and AVIF, whose first box is `ftyp` (ISO/IEC 14496-12, 4.3). */
const isHeif = (bytes: Uint8Array): boolean =>
  new TextDecoder("latin1").decode(bytes.subarray(4, 8)) === "ftyp";

const isAccepted = (format: string): format is Format => Object.hasOwn(IMAGE_TYPES, format);

/** The format and the upright size, by the content. @throws Fault invalid_image */
const readHeader = async (bytes: Uint8Array) => {
  if (isHeif(bytes)) throw invalid("The server cannot read HEIC or AVIF.", HEIF_ADVICE);
  const { format, width, height } = await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).metadata();
  if (!isAccepted(format)) throw invalid("The file is not an image that the server can read.");
  if (format === "jpeg" && !isCompleteJpeg(bytes)) throw invalid("The image is damaged or incomplete.");
  return { format, width, height };
};

const resized = (image: Bun.Image, width: number): Bun.Image =>
  image.resize(width, MAX_HEIGHT_FACTOR * width, { fit: "inside", withoutEnlargement: true });

/** Encodes the image for the next step: compression would take longer than the step. */
const uncompressed = (image: Bun.Image): Promise<Uint8Array> => image.png({ compressionLevel: 0 }).bytes();

/** Leaves out the last rows: the decoder reads as many as the header announces (PNG specification, 11.2.1). */
const firstRows = (png: Uint8Array, rows: number): Bun.Image => {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.length);
  bytes.writeUInt32BE(rows, 20);
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(12, 29)), 29);
  return new Bun.Image(bytes);
};

/**
 * The middle of an image as a link preview. `Bun.Image` cannot crop: the bottom is left out, and then, upside down, the top. A
 * wide image stands on its side meanwhile.
 */
const previewOf = async (decoded: Uint8Array, { width, height }: Size): Promise<Bun.Image> => {
  const ratio = PREVIEW.width / PREVIEW.height;
  const isWide = width / height > ratio;
  const standing = new Bun.Image(decoded).rotate(isWide ? 90 : 0);
  const whole = await uncompressed(resized(standing, isWide ? PREVIEW.height : PREVIEW.width));
  const rows = Math.min(standing.height, Math.ceil(standing.width * (isWide ? ratio : 1 / ratio)));
  const withTop = firstRows(whole, standing.height - Math.floor((standing.height - rows) / 2));
  const middle = firstRows(await uncompressed(withTop.flip()), rows);
  const upright = isWide ? middle.rotate(270).flop() : middle.flip();
  return upright.resize(PREVIEW.width, PREVIEW.height).jpeg();
};

/** A blurred picture of at most 32 by 32 pixels, as a data URL of a few hundred bytes. */
const placeholderOf = async (image: Uint8Array): Promise<string> => {
  const [, blurred = ""] = (await new Bun.Image(image).placeholder()).split(",");
  return new Bun.Image(Buffer.from(blurred, "base64")).webp().dataurl();
};

/** Widths up to the image's own. A smaller image has the smallest, and is not enlarged. */
const widthsFor = (width: number): readonly number[] =>
  WIDTHS.filter((one) => one <= Math.max(width, WIDTHS[0]));

/**
 * Makes the files of a photo. The image is decoded once, to the largest size, and the others are made of that, without the
 * metadata of the camera. Uses other threads for a second or two, and up to 300 MB of memory: make one at a time.
 * @throws Fault invalid_image
 */
export const processImage = async (bytes: Uint8Array): Promise<PhotoImage> => {
  try {
    const { format, width, height } = await readHeader(bytes);
    const decoded = await uncompressed(resized(new Bun.Image(bytes, { maxPixels: MAX_PIXELS }), MAX_WIDTH));
    const files: ImageFile[] = [];
    const add = async (name: string, type: string, image: Bun.Image) =>
      files.push({ name, type, bytes: await image.bytes(), width: image.width, height: image.height });
    for (const one of widthsFor(width))
      await add(`${one}.webp`, IMAGE_TYPES.webp, resized(new Bun.Image(decoded), one).webp());
    await add("preview.jpg", IMAGE_TYPES.jpeg, await previewOf(decoded, { width, height }));
    return { width, height, format, placeholder: await placeholderOf(decoded), files };
  } catch (error) {
    throw faultOf(error);
  }
};
