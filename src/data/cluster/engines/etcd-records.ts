import { EngineUnavailable, type Head, type LogRecord, LogTrimmed } from "../log.ts";
import { EngineUnanswered } from "./attempt.ts";
import { type Appended, type Engine, MAX_READ_BYTES, type Place } from "./engine.ts";
import type { EtcdGateway } from "./etcd-gateway.ts";
import {
  decode,
  encode,
  endOf,
  equals,
  type Keys,
  type KeyValue,
  pad,
  parseRecordKey,
  putRequest,
  rangeOf,
  type RecordKey,
} from "./etcd-keys.ts";

/** The value of the key for the end of the log. It is compared as a whole, so there is one text for each head. */
export const headText = ({ log, position, id }: Head): string => JSON.stringify([log, position, id]);

/** @throws EngineUnavailable if another program wrote the key */
export const parseHead = (text: string): Head => {
  try {
    const [log, position, id] = JSON.parse(text) as [unknown, unknown, unknown];
    if (typeof log === "string" && Number.isSafeInteger(position) && typeof id === "string")
      return { log, position: Number(position), id };
  } catch {
    // As below.
  }
  throw new EngineUnavailable(
    "etcd: the key that says where the log ends was overwritten: put its last value back, or begin another log with adoption-store cluster join --replace; give the cluster a prefix that nothing else writes to",
  );
};

/** etcd takes requests of 1.5 MiB. */
const PART_BYTES = 1_000_000;
/** So many parts are sent or requested concurrently. */
const PARTS_AT_ONCE = 4;
/** So many records are read together with the keys of later records. */
const FIRST_RECORDS = 4;

/** Records after the head. @param node this node's name in the line for the write lease */
export const etcdRecords = (
  gateway: EtcdGateway,
  keys: Keys,
  node: string,
): Pick<Engine, "append" | "read"> => {
  const headKey = encode(keys.head);
  const ownPlace = encode(keys.line + node);

  /** Parts alone append nothing. @throws EngineUnavailable */
  const putParts = async (log: string, { position, id, parts }: RecordKey, record: Uint8Array) => {
    const prefix = keys.parts(log, position, id);
    const put = async (n: number): Promise<void> => {
      const part = record.subarray(n * PART_BYTES, (n + 1) * PART_BYTES);
      await gateway.call("kv/put", { key: encode(prefix + pad(n)), value: part.toBase64() });
    };
    try {
      for (let at = 0; at < parts; at += PARTS_AT_ONCE)
        await Promise.all(
          Array.from({ length: Math.min(PARTS_AT_ONCE, parts - at) }, async (_, n) => put(at + n)),
        );
    } catch (error) {
      if (error instanceof EngineUnanswered) throw new EngineUnavailable(error.message, { cause: error });
      throw error;
    }
  };

  /** Compares the head as a whole, id included, to distinguish a lost response from a lost race. */
  const commit = async (after: Head, key: RecordKey, value: string): Promise<Appended> => {
    const { log, position } = after;
    const { succeeded, found } = await gateway.transaction({
      compare: [equals(headKey, encode(headText(after)))],
      success: [
        putRequest(headKey, encode(headText({ log, position: key.position, id: key.id }))),
        putRequest(encode(keys.record(log, key)), value),
        { request_range: { ...rangeOf(keys.line), keys_only: true, limit: "2" } },
      ],
      failure: [
        { request_range: { ...rangeOf(keys.recordsAt(log, position + 1)), keys_only: true } },
        { request_range: { key: encode(keys.trimmed(log)) } },
      ],
    });
    if (succeeded)
      return { won: true, isAwaited: found[2]?.some((place) => place.key !== ownPlace) ?? false };
    const record = found[0]?.[0]?.key;
    return {
      won: false,
      found: record === undefined ? undefined : parseRecordKey(record, keys.records(log)).id,
      trimmed: Number(decode(found[1]?.[0]?.value ?? "")),
    };
  };

  /** @param value of the record's key, if the record has no parts @throws LogTrimmed */
  const join = async (
    log: string,
    { position, id, bytes, parts }: RecordKey,
    value = "",
  ): Promise<LogRecord> => {
    if (parts === 0) return { position, id, record: Uint8Array.fromBase64(value) };
    const prefix = keys.parts(log, position, id);
    const record = new Uint8Array(bytes);
    for (let at = 0; at < parts; at += PARTS_AT_ONCE) {
      const count = Math.min(PARTS_AT_ONCE, parts - at);
      const { kvs = [] } = await gateway.range({
        key: encode(prefix + pad(at)),
        range_end: encode(prefix + pad(at + count)),
      });
      if (kvs.length < count)
        throw new LogTrimmed(`the record at position ${position} was removed meanwhile`);
      kvs.forEach(({ value: part = "" }, n) =>
        record.set(Uint8Array.fromBase64(part), (at + n) * PART_BYTES),
      );
    }
    return { position, id, record };
  };

  /** The first records after a position, and the keys of the following ones, as they are at one moment. */
  const look = async ({ log, position }: Place, limit: number) => {
    const { range_end } = rangeOf(keys.records(log));
    const range = { key: encode(keys.recordsAt(log, position + 1)), range_end };
    const { found } = await gateway.transaction({
      success: [
        { request_range: { key: headKey } },
        { request_range: { key: encode(keys.trimmed(log)) } },
        { request_range: { ...range, limit: String(Math.min(limit, FIRST_RECORDS)) } },
        { request_range: { ...range, limit: String(limit), keys_only: true } },
      ],
    });
    const [[head] = [], [trimmed] = [], first = [], all = []] = found;
    if (!head || parseHead(decode(head.value ?? "")).log !== log) return undefined;
    return { trimmed: Number(decode(trimmed?.value ?? "")), first, all };
  };

  return {
    async append(after, id, record) {
      const isSplit = record.length > PART_BYTES;
      const parts = isSplit ? Math.ceil(record.length / PART_BYTES) : 0;
      const key = { position: after.position + 1, bytes: record.length, parts, id };
      if (isSplit) await putParts(after.log, key, record);
      const result = await commit(after, key, isSplit ? "" : record.toBase64());
      // If this fails, they are removed with the records.
      if (isSplit && !result.won && result.found !== id)
        gateway.call("kv/deleterange", rangeOf(keys.parts(after.log, key.position, id))).catch(() => {});
      return result;
    },
    async read(after, limit) {
      const seen = await look(after, limit);
      if (!seen || after.position < seen.trimmed) return seen && { trimmed: seen.trimmed, records: [] };
      const { trimmed, first, all } = seen;
      const prefix = keys.records(after.log);
      const { length } = within(all.map(({ key }) => parseRecordKey(key, prefix)));
      const rest = all.slice(first.length, length);
      const more = rest.length > 0 ? (await gateway.range(spanOf(rest))).kvs : undefined;
      const records: LogRecord[] = [];
      for (const { key, value } of [...first, ...(more ?? [])].slice(0, length)) {
        const record = parseRecordKey(key, prefix);
        // A record that was removed meanwhile ends the list.
        if (record.position !== after.position + records.length + 1) break;
        records.push(await join(after.log, record, value));
      }
      return { trimmed, records };
    },
  };
};

/** From the first of these keys to the last. */
const spanOf = (kvs: readonly KeyValue[]) => ({
  key: kvs[0]?.key ?? "",
  range_end: endOf(kvs.at(-1)?.key ?? ""),
});

/** The first ones that take a few MiB together, at least one. */
const within = (keys: readonly RecordKey[]): RecordKey[] => {
  let sum = 0;
  return keys.filter(({ bytes }, index) => (sum += bytes) <= MAX_READ_BYTES || index === 0);
};
