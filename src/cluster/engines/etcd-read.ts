import { LogTrimmed } from "../errors.ts";
import type { Head, LogRecord } from "../log.ts";
import type { EtcdGateway } from "./etcd-gateway.ts";
import { PARTS_AT_ONCE, PART_BYTES, headIn } from "./etcd-head.ts";
import {
  type KeyValue,
  type Keys,
  type Range,
  type RecordKey,
  type Transaction,
  decode,
  encode,
  endOf,
  pad,
  parseRecordKey,
  rangeOf,
} from "./etcd-keys.ts";

const MAX_READ_BYTES = 4 * 1024 * 1024;
/** So many records are read together with the keys of those behind them. */
const FIRST_RECORDS = 4;

type After = Pick<Head, "log" | "position">;

/** Reads records behind a position. */
export class EtcdRead {
  readonly #gateway: EtcdGateway;
  readonly #keys: Keys;

  constructor(gateway: EtcdGateway, keys: Keys) {
    this.#gateway = gateway;
    this.#keys = keys;
  }

  async head(): Promise<Head | undefined> {
    return headIn(await this.#gateway.call<Range>("kv/range", { key: encode(this.#keys.head) }));
  }

  async read(after: After, limit: number): Promise<LogRecord[]> {
    const { values, all } = await this.#look(after, limit);
    const prefix = this.#keys.records(after.log);
    const { length } = within(all.map(({ key }) => parseRecordKey(key, prefix)));
    const more = length > values.length ? await this.#range(all.slice(values.length, length)) : [];
    const read: LogRecord[] = [];
    for (const { key, value } of [...values, ...more].slice(0, length)) {
      const record = parseRecordKey(key, prefix);
      // What was removed meanwhile ends the list.
      if (record.position !== after.position + read.length + 1) break;
      read.push(await this.#join(after.log, record, value));
    }
    return read;
  }

  /** The first records behind a position, and the keys of those behind them, as they are at one moment. */
  async #look({ log, position }: After, limit: number): Promise<{ values: KeyValue[]; all: KeyValue[] }> {
    const { range_end } = rangeOf(this.#keys.records(log));
    const range = { key: encode(this.#keys.recordsAt(log, position + 1)), range_end };
    const first = { ...range, limit: String(Math.min(limit, FIRST_RECORDS)) };
    const { responses = [] } = await this.#gateway.call<Transaction>("kv/txn", {
      success: [
        { request_range: { key: encode(this.#keys.head) } },
        { request_range: { key: encode(this.#keys.trimmed(log)) } },
        { request_range: first },
        { request_range: { ...range, limit: String(limit), keys_only: true } },
      ],
    });
    const [head, trimmed, values, all] = responses.map(({ response_range }) => response_range);
    if (headIn(head)?.log !== log) throw new LogTrimmed("the engine has another log");
    const upTo = Number(decode(trimmed?.kvs?.[0]?.value ?? ""));
    if (position < upTo) throw new LogTrimmed(`the records up to position ${upTo} were removed`);
    return { values: values?.kvs ?? [], all: all?.kvs ?? [] };
  }

  async #range(keys: readonly KeyValue[]): Promise<KeyValue[]> {
    const [first, last] = [keys[0]?.key ?? "", keys.at(-1)?.key ?? ""];
    const { kvs = [] } = await this.#gateway.call<Range>("kv/range", { key: first, range_end: endOf(last) });
    return kvs;
  }

  /** @param value of the record's key, if the record has no parts */
  async #join(log: string, { position, id, bytes, parts }: RecordKey, value = ""): Promise<LogRecord> {
    if (parts === 0) return { position, id, record: Uint8Array.fromBase64(value) };
    const prefix = this.#keys.parts(log, position, id);
    const record = new Uint8Array(bytes);
    for (let at = 0; at < parts; at += PARTS_AT_ONCE) {
      const count = Math.min(PARTS_AT_ONCE, parts - at);
      const { kvs = [] } = await this.#gateway.call<Range>("kv/range", {
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
  }
}

/** The first ones that take a few MiB together, at least one. */
const within = (keys: readonly RecordKey[]): RecordKey[] => {
  let sum = 0;
  return keys.filter(({ bytes }, index) => (sum += bytes) <= MAX_READ_BYTES || index === 0);
};
