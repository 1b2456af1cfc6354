import { lowerName } from "../../lib/dns-name.ts";

/** RFC 1035 section 2.3.4: the bytes of a name on the wire, with the length of each label and the root's. */
const MAX_NAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;

/** Stands for a dot inside a label: no other byte becomes this character. */
const INNER_DOT = "\u0100";

/**
 * Reads a name of a question into its canonical form, with a character for each byte.
 * @returns undefined for a malformed or compressed name: a question has nothing before it to point at
 */
export const readName = (packet: Buffer, start: number): { name: string; end: number } | undefined => {
  const ends: number[] = [];
  let offset = start;
  for (let length = packet[offset]; length !== 0; length = packet[offset]) {
    if (length === undefined || length > MAX_LABEL_BYTES) return undefined;
    offset += 1 + length;
    ends.push(offset);
  }
  const end = offset + 1;
  if (end - start > MAX_NAME_BYTES) return undefined;
  const text = packet.toString("latin1", start, offset);
  const labels = ends.map((at, index) => text.slice((ends[index - 1] ?? start) - start + 1, at - start));
  const name = labels.map((label) => (label.includes(".") ? label.replaceAll(".", INNER_DOT) : label));
  return { name: lowerName(name.join(".")), end };
};

/** Finds the end of a name that is not read: a record's, which may be compressed. */
export const skipName = (packet: Buffer, start: number): number | undefined => {
  for (let offset = start; ;) {
    const length = packet[offset];
    if (length === undefined) return undefined;
    // RFC 1035 section 4.1.4: a pointer has two bytes and ends the name.
    if (length >= 0xc0) return offset + 2;
    if (length > MAX_LABEL_BYTES) return undefined;
    offset += 1 + length;
    if (length === 0) return offset;
  }
};

/** The name without its first label; "" for a name of one label. */
export const parentOf = (name: string): string => {
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
};

/** True for a zone's origin and the names below it. No zone is the root. */
export const isWithin = (name: string, origin: string): boolean =>
  name.endsWith(origin) && (name.length === origin.length || name.at(-1 - origin.length) === ".");
