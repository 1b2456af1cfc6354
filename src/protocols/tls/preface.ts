/** RFC 9113 section 3.4: what an HTTP/2 client sends before its first frame. */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** What a client has sent first, held against the preface: the beginning of it, the whole of it, or something else. */
export type PrefaceMatch = "partial" | "whole" | "different";

/** Takes what a client sends, piece by piece, and compares all of it so far. */
export const matchPreface = (): ((chunk: Uint8Array) => PrefaceMatch) => {
  let bytes = 0;
  let match: PrefaceMatch = "partial";
  return (chunk) => {
    if (match !== "partial") return match;
    const part = chunk.subarray(0, PREFACE.length - bytes);
    if (!PREFACE.subarray(bytes, bytes + part.length).equals(part)) match = "different";
    else if ((bytes += part.length) === PREFACE.length) match = "whole";
    return match;
  };
};
