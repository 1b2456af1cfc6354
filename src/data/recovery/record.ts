/** A value of a column. A text that is not valid UTF-8 has replacement characters. */
export type Value = null | number | bigint | string | Uint8Array;

/** A row of a table, or an entry of an index, whose last value is the id of its row. */
export interface Cell {
  /** The rowid; 0 in an index. */
  id: number;
  values: Value[];
  /** The bytes of the page that it takes. */
  start: number;
  end: number;
  /** The pages of its overflow chain. */
  overflow: number[];
  /** True if a text is not valid UTF-8. */
  isGarbled: boolean;
}

export type ReadPage = (page: number) => Uint8Array | undefined;

/** A varint at a place, and the place after it; undefined at the end of the bytes, and for an unsafe integer. */
const varint = (bytes: Uint8Array, start: number): [value: number, end: number] | undefined => {
  let value = 0;
  for (let at = start; at < start + 9; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    const isLast = byte < 0x80 || at === start + 8;
    value = at === start + 8 ? value * 256 + byte : value * 128 + (byte & 0x7f);
    if (isLast) return Number.isSafeInteger(value) ? [value, at + 1] : undefined;
  }
  return undefined;
};

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8];

/** The bytes of a value by its serial type; undefined for a type that no value has. */
const lengthOf = (type: number): number | undefined => {
  if (type >= 12) return (type - (type % 2 === 0 ? 12 : 13)) / 2;
  if (type === 7) return 8;
  return type === 8 || type === 9 ? 0 : INTEGER_BYTES[type];
};

const integerIn = (bytes: Uint8Array): number | bigint => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length === 8) {
    const value = view.getBigInt64(0);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, view.getInt8(0));
};

const STRICT_TEXT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT_TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

const textIn = (bytes: Uint8Array): { text: string; isGarbled: boolean } => {
  try {
    return { text: STRICT_TEXT.decode(bytes), isGarbled: false };
  } catch {
    return { text: LENIENT_TEXT.decode(bytes), isGarbled: true };
  }
};

const valueOf = (type: number, bytes: Uint8Array): Value | ReturnType<typeof textIn> => {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0);
  if (type < 7) return integerIn(bytes);
  return type % 2 === 0 ? bytes.slice() : textIn(bytes);
};

/** Reads a record, whose parts must fill it exactly (https://sqlite.org/fileformat2.html#record_format). */
const readRecord = (payload: Uint8Array): Pick<Cell, "values" | "isGarbled"> | undefined => {
  const [headerEnd, first] = varint(payload, 0) ?? [];
  if (headerEnd === undefined || first === undefined || headerEnd > payload.length) return undefined;
  const values: Value[] = [];
  let isGarbled = false;
  let body = headerEnd;
  let at = first;
  while (at < headerEnd) {
    const [type, next] = varint(payload, at) ?? [];
    const length = type === undefined ? undefined : lengthOf(type);
    if (type === undefined || next === undefined || length === undefined) return undefined;
    if (body + length > payload.length) return undefined;
    const value = valueOf(type, payload.subarray(body, body + length));
    if (value !== null && typeof value === "object" && "text" in value) {
      values.push(value.text);
      isGarbled ||= value.isGarbled;
    } else values.push(value);
    body += length;
    at = next;
  }
  return at === headerEnd && body === payload.length ? { values, isGarbled } : undefined;
};

/** The bytes of a payload that are in the page itself. */
const localBytes = (length: number, pageSize: number, isIndex: boolean): number => {
  const max = isIndex ? Math.floor(((pageSize - 12) * 64) / 255) - 23 : pageSize - 35;
  if (length <= max) return length;
  const min = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const rest = min + ((length - min) % (pageSize - 4));
  return rest <= max ? rest : min;
};

/** Reads a page number. */
export const pageNumber = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at);

/** Follows a chain that must have exactly the rest of the payload. */
const followChain = (first: number, length: number, pageSize: number, read: ReadPage) => {
  const pages = new Set<number>();
  const parts: Uint8Array[] = [];
  let page = first;
  for (let left = length; left > 0; left -= pageSize - 4) {
    const bytes = pages.has(page) ? undefined : read(page);
    if (!bytes) return undefined;
    pages.add(page);
    parts.push(bytes.subarray(4, 4 + Math.min(left, pageSize - 4)));
    page = pageNumber(bytes, 0);
  }
  return page === 0 ? { pages: [...pages], parts } : undefined;
};

/** A request has at most 1 MiB, and no row has the text of more than a few. */
const MAX_PAYLOAD_BYTES = 4 * 2 ** 20;

/** A larger id is damaged, and would leave too few ids for later rows. */
export const MAX_ID = 2 ** 52;

/** Reads the cell of a leaf at a place; undefined if it is damaged. @param read reads pages of overflow chains */
export const readCell = (
  bytes: Uint8Array,
  start: number,
  kind: "table" | "index",
  read: ReadPage,
): Cell | undefined => {
  const isIndex = kind === "index";
  const [length, afterLength] = varint(bytes, start) ?? [];
  if (!length || length > MAX_PAYLOAD_BYTES || afterLength === undefined) return undefined;
  const [id, body] = isIndex ? [0, afterLength] : (varint(bytes, afterLength) ?? []);
  if (id === undefined || body === undefined) return undefined;
  const local = localBytes(length, bytes.length, isIndex);
  const hasChain = local < length;
  const end = body + local + (hasChain ? 4 : 0);
  if (end > bytes.length) return undefined;
  // Checked first: a damaged length must not follow a long chain.
  const chain = hasChain
    ? followChain(pageNumber(bytes, body + local), length - local, bytes.length, read)
    : { pages: [], parts: [] };
  if (!chain) return undefined;
  const own = bytes.subarray(body, body + local);
  const record = readRecord(hasChain ? Buffer.concat([own, ...chain.parts]) : own);
  return record && { id, ...record, start, end: Math.max(end, start + 4), overflow: chain.pages };
};

/** Reads the key of an interior page of a table. */
export const readKey = (bytes: Uint8Array, at: number): number | undefined => varint(bytes, at)?.[0];
