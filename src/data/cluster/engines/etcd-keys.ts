/** Keys and values as the gateway takes them: base64. */
export const encode = (text: string): string => Buffer.from(text).toString("base64");
export const decode = (text: string): string => Buffer.from(text, "base64").toString();

/** From `key`, up to and without `range_end`. */
export interface KeyRange {
  key: string;
  range_end: string;
}

/** The end of a range whose last key is `key`, in base64. */
export const endOf = (key: string): string =>
  Buffer.concat([Buffer.from(key, "base64"), Buffer.from([0])]).toString("base64");

/** All keys that begin with `prefix`. */
export const rangeOf = (prefix: string): KeyRange => {
  const end = Buffer.from(prefix);
  // No byte of UTF-8 is 0xff.
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return { key: encode(prefix), range_end: end.toString("base64") };
};

/** A key and its value in the gateway's responses; numbers of 64 bits are text. */
export interface KeyValue {
  key: string;
  value?: string;
  lease?: string;
}

/** Conditions of a transaction, for keys and values in base64. */
export const isAbsent = (key: string) => ({ key, target: "CREATE", result: "EQUAL", create_revision: "0" });
export const equals = (key: string, value: string) => ({ key, target: "VALUE", result: "EQUAL", value });

/** @param lease the key is removed when it ends */
export const putRequest = (key: string, value: string, lease?: string) => ({
  request_put: { key, value, ...(lease !== undefined && { lease }) },
});

const DIGITS = 16;
/** Positions sort as text. */
export const pad = (position: number): string => String(position).padStart(DIGITS, "0");

/** The contents of a record's key, which provides ids and sizes without the records. */
export interface RecordKey {
  readonly position: number;
  readonly bytes: number;
  /** The number of parts in separate keys; 0: the value of this key is the record. */
  readonly parts: number;
  readonly id: string;
}

/**
 * Prefixes of DATABASE_URL contain no empty segment, so no key of one cluster begins with the `//` of another.
 *
 *     PREFIX//current           the id of the log
 *     PREFIX//head              the end of the log
 *     PREFIX//snapshot          the newest snapshot
 *     PREFIX//log/LOG/trimmed   the position up to which records were removed
 *     PREFIX//log/LOG/r/...     records
 *     PREFIX//log/LOG/p/...     parts of large records
 *     PREFIX//turn/NODE         nodes in line for the write lease, with leases
 *     PREFIX//claim/NAME        claims, with leases
 *     PREFIX//file/NAME         files
 */
export const keysOf = (prefix: string) => {
  const base = `${prefix}//`;
  const logs = `${base}log/`;
  const log = (name: string): string => `${logs}${encodeURIComponent(name)}/`;
  return {
    current: `${base}current`,
    head: `${base}head`,
    snapshot: `${base}snapshot`,
    line: `${base}turn/`,
    claim: `${base}claim/`,
    file: `${base}file/`,
    logs,
    log,
    trimmed: (name: string): string => `${log(name)}trimmed`,
    records: (name: string): string => `${log(name)}r/`,
    /** All records at a position: at most one. */
    recordsAt: (name: string, position: number): string => `${log(name)}r/${pad(position)}/`,
    record: (name: string, { position, bytes, parts, id }: RecordKey): string =>
      `${log(name)}r/${pad(position)}/${bytes}/${parts}/${id}`,
    allParts: (name: string): string => `${log(name)}p/`,
    parts: (name: string, position: number, id: string): string => `${log(name)}p/${pad(position)}/${id}/`,
  };
};
export type Keys = ReturnType<typeof keysOf>;

/** @param key of the gateway @param records the prefix of the log's records */
export const parseRecordKey = (key: string, records: string): RecordKey => {
  const [position = "", bytes = "", parts = "", ...id] = decode(key).slice(records.length).split("/");
  return { position: Number(position), bytes: Number(bytes), parts: Number(parts), id: id.join("/") };
};
