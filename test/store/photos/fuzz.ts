import { Fault } from "../../../src/lib/errors.ts";
import { processImage } from "../../../src/store/photos/image.ts";
import { gif, hostileFiles, jpeg, png, webp, withExif } from "../../support/images.ts";
import { type Random, seeded } from "../../support/random.ts";

const MAX_EDITS = 8;

/** Changes a few bytes, or cuts, repeats or overwrites a part. */
const damage = (bytes: Uint8Array, random: Random): Buffer => {
  const changed = Buffer.from(bytes);
  const at = random(changed.length);
  const length = 1 + random(64);
  switch (random(5)) {
    case 0:
      return changed.subarray(0, at);
    case 1:
      return Buffer.concat([changed.subarray(0, at), changed.subarray(at + length)]);
    case 2:
      return Buffer.concat([changed.subarray(0, at + length), changed.subarray(at)]);
    case 3:
      return changed.fill(random(2) * 255, at, Math.min(changed.length, at + length));
    default:
      for (let edit = 0; edit <= random(MAX_EDITS); edit++) changed[random(changed.length)] = random(256);
      return changed;
  }
};

/** The checksums of PNG chunks are correct again, so that the damage reaches the decoder. */
const withChecksums = (png: Buffer): Buffer => {
  for (let at = 8; at + 12 <= png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    if (end + 4 > png.length) break;
    png.writeUInt32BE(Bun.hash.crc32(png.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return png;
};

/** Processes damaged images. @returns how many were accepted @throws if one ends in anything but a photo or a refusal */
export const processDamagedImages = async (count: number, seed = 31): Promise<number> => {
  const random = seeded(seed);
  const whole = [
    await jpeg(48, 32),
    await new Bun.Image(await jpeg(48, 32)).jpeg({ progressive: true }).bytes(),
    withExif(await jpeg(48, 32), 6, "a camera"),
    await png(40, 24),
    await new Bun.Image(await png(40, 24)).png({ palette: true, colors: 16 }).bytes(),
    await webp(48, 32),
    await new Bun.Image(await png(40, 24)).webp({ lossless: true }).bytes(),
    gif(24, 16),
  ];
  const hostile = (await hostileFiles()).map(([, bytes]) => bytes);
  const nextImage = (index: number): Uint8Array => {
    if (index % 10 === 9) return hostile[random(hostile.length)] ?? new Uint8Array();
    const source = whole[index % whole.length] ?? new Uint8Array();
    const damaged = damage(source, random);
    const isPng = source[0] === 0x89;
    if (random(20) === 0) return Buffer.concat([damaged, whole[random(whole.length)] ?? damaged]);
    return isPng && random(2) === 0 ? withChecksums(damaged) : damaged;
  };
  let accepted = 0;
  for (let index = 0; index < count; index++) {
    const bytes = nextImage(index);
    try {
      await processImage(bytes);
      accepted++;
    } catch (error) {
      if (error instanceof Fault && error.code === "invalid_image") continue;
      throw new Error(`image ${index} of seed ${seed}: ${Buffer.from(bytes).toString("base64")}`, {
        cause: error,
      });
    }
  }
  return accepted;
};
