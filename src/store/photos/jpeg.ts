/** The second byte of markers. */
const END_OF_IMAGE = 0xd9;

/** Markers without a length: those in the data of a scan, a stuffed 0xFF among them, and the start of the image. */
const standsAlone = (code: number): boolean => code <= 0x01 || (code >= 0xd0 && code <= 0xd8);

/**
 * True if the markers of a JPEG lead to its end (ITU-T T.81, B.1.1). A decoder fills the rest of a truncated one with gray
 * instead of refusing it.
 */
export const isCompleteJpeg = (bytes: Uint8Array): boolean => {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at)) {
    while (bytes[at + 1] === 0xff) at += 1;
    const [code = 0, high = 0, low = 0] = bytes.subarray(at + 1, at + 4);
    if (code === END_OF_IMAGE) return true;
    at += 2;
    if (!standsAlone(code)) at += 256 * high + low;
  }
  return false;
};
