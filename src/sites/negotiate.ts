import { type ContentCoding, acceptedCodings } from "../lib/accept.ts";

/** The codings that a client takes, and a name that is the same for all who take them in this order. */
export interface Accepted {
  codings: readonly ContentCoding[];
  name: string;
}

/** Clients send few different headers; the others are a stranger's. */
const MAX_REMEMBERED = 500;
const LONGEST_REMEMBERED = 200;

/** Reads Accept-Encoding headers, remembering what was read last. */
export const acceptedReader = (): ((header: string | null) => Accepted) => {
  const known = new Map<string | null, Accepted>();
  return (header) => {
    const remembered = known.get(header);
    if (remembered) return remembered;
    const codings = acceptedCodings(header);
    const accepted = { codings, name: codings.join(",") };
    if (known.size >= MAX_REMEMBERED) known.clear();
    if (header === null || header.length <= LONGEST_REMEMBERED) known.set(header, accepted);
    return accepted;
  };
};

/** The first and the last byte of a range. */
export type Range = [first: number, last: number];

/**
 * What a Range header asks of so many bytes (RFC 9110 section 14.1.2): one range, `none` of the bytes, or undefined where
 * the header is to be ignored: another unit, several ranges, malformed.
 */
export const readRange = (header: string, size: number): Range | "none" | undefined => {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? [];
  if (from === "" && to === "") return undefined;
  if (from === "")
    return Number(to) === 0 || size === 0 ? "none" : [Math.max(0, size - Number(to)), size - 1];
  if (to !== "" && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return "none";
  return [Number(from), to === "" ? size - 1 : Math.min(Number(to), size - 1)];
};
