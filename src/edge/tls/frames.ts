/** RFC 9113 section 3.4: what a client sends before its first frame. */
const PREFACE_BYTES = 24;
/** Section 4.1. */
const HEADER_BYTES = 9;
/** Section 6.1. */
const DATA = 0;
/** Sections 6.2 and 6.10: HEADERS and CONTINUATION, and the flag that ends their block. */
const HEADERS = 1;
const CONTINUATION = 9;
const END_HEADERS = 4;
/** Frames that make work and ask for nothing: RST_STREAM, SETTINGS, PING (section 10.5). */
const CHORES: ReadonlySet<number> = new Set([3, 4, 6]);

/** Follows what an HTTP/2 client sends; true while it has begun a frame that is not DATA, or a header block, and not ended it. */
export type FrameWatch = (chunk: Uint8Array) => boolean;

/** @param chore told of each frame that makes work and asks for nothing */
export const frameWatch = (chore: () => void = () => {}): FrameWatch => {
  const header = new Uint8Array(HEADER_BYTES);
  let headerBytes = 0;
  let bodyBytes = PREFACE_BYTES;
  let isData = false;
  let inBlock = false;

  const begin = () => {
    headerBytes = 0;
    bodyBytes = header[0]! * 65_536 + header[1]! * 256 + header[2]!;
    isData = header[3] === DATA;
    if (CHORES.has(header[3]!)) chore();
    const opensBlock = header[3] === HEADERS || header[3] === CONTINUATION;
    if (opensBlock) inBlock = (header[4]! & END_HEADERS) === 0;
  };

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (bodyBytes > 0) {
        const taken = Math.min(bodyBytes, chunk.length - at);
        bodyBytes -= taken;
        at += taken;
      } else {
        header[headerBytes] = chunk[at]!;
        headerBytes += 1;
        at += 1;
        if (headerBytes === HEADER_BYTES) begin();
      }
    }
    return inBlock || headerBytes > 0 || (bodyBytes > 0 && !isData);
  };
};
