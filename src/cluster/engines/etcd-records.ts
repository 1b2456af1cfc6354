import { AppendUnknown, EngineUnavailable, LogTrimmed, RecordTooLarge } from "../errors.ts";
import type { Append, Head, LogRecord } from "../log.ts";
import { EngineUnanswered } from "./attempt.ts";
import type { EtcdGateway } from "./etcd-gateway.ts";
import {
  decode,
  encode,
  endOf,
  type Keys,
  type KeyValue,
  pad,
  parseRecordKey,
  type Range,
  rangeOf,
  type RecordKey,
  type Transaction,
} from "./etcd-keys.ts";

/** The value of the key for the end of the log. It is compared as a whole, so there is one text for each head. */
export const headText = ({ log, position, id }: Head): string => JSON.stringify([log, position, id]);

/** @throws EngineUnavailable if another program wrote the key */
const parseHead = (text: string): Head => {
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

/** @throws EngineUnavailable */
export const headIn = (range: Range | undefined): Head | undefined => {
  const value = range?.kvs?.[0]?.value;
  if (value === undefined) return undefined;
  return parseHead(decode(value));
};

/** etcd takes requests of 1.5 MiB. */
const PART_BYTES = 1_000_000;
/** So many parts are sent or requested concurrently. */
const PARTS_AT_ONCE = 4;

const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** Appends records after the head. */
export class EtcdAppend {
  readonly #gateway: EtcdGateway;
  readonly #keys: Keys;
  readonly #isOwnTurn: (key: string) => boolean;

  /** @param isOwnTurn whether a key in the line for turns is this node's */
  constructor(gateway: EtcdGateway, keys: Keys, isOwnTurn: (key: string) => boolean) {
    this.#gateway = gateway;
    this.#keys = keys;
    this.#isOwnTurn = isOwnTurn;
  }

  async append(after: Head, id: string, record: Uint8Array): Promise<Append> {
    if (record.length > MAX_RECORD_BYTES) throw new RecordTooLarge(record.length, MAX_RECORD_BYTES);
    const isSplit = record.length > PART_BYTES;
    const parts = isSplit ? Math.ceil(record.length / PART_BYTES) : 0;
    const key = { position: after.position + 1, bytes: record.length, parts, id };
    if (isSplit) await this.#putParts(after.log, key, record);
    try {
      const result = await this.#commit(after, key, isSplit ? "" : record.toBase64());
      if (isSplit && !result.won) this.#removeParts(after.log, key);
      return result;
    } catch (error) {
      if (error instanceof EngineUnanswered) throw new AppendUnknown(error.message, { cause: error });
      throw error;
    }
  }

  async #putParts(log: string, { position, id, parts }: RecordKey, record: Uint8Array): Promise<void> {
    const prefix = this.#keys.parts(log, position, id);
    const put = (n: number) =>
      this.#gateway.call("kv/put", {
        key: encode(prefix + pad(n)),
        value: record.subarray(n * PART_BYTES, (n + 1) * PART_BYTES).toBase64(),
      });
    for (let at = 0; at < parts; at += PARTS_AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(PARTS_AT_ONCE, parts - at) }, async (_, n) => put(at + n)),
      );
  }

  /** Those of an append that lost. Any remaining parts are removed with the records. */
  #removeParts(log: string, { position, id }: RecordKey): void {
    this.#gateway.call("kv/deleterange", rangeOf(this.#keys.parts(log, position, id))).catch(() => {});
  }

  /** Compares the head as a whole, id included, to distinguish a lost response from a lost race. */
  async #commit(after: Head, key: RecordKey, value: string): Promise<Append> {
    const { log, position } = after;
    const head = encode(this.#keys.head);
    const next = headText({ log, position: key.position, id: key.id });
    const { succeeded, responses = [] } = await this.#gateway.call<Transaction>("kv/txn", {
      compare: [{ key: head, target: "VALUE", result: "EQUAL", value: encode(headText(after)) }],
      success: [
        { request_put: { key: head, value: encode(next) } },
        { request_put: { key: encode(this.#keys.record(log, key)), value } },
        { request_range: { ...rangeOf(`${this.#keys.turn}/`), keys_only: true, limit: "2" } },
      ],
      failure: [
        { request_range: { ...rangeOf(this.#keys.recordsAt(log, position + 1)), keys_only: true } },
        { request_range: { key: encode(this.#keys.trimmed(log)) } },
      ],
    });
    const found = responses.map(({ response_range }) => response_range?.kvs ?? []);
    if (!succeeded) return this.#settle(after, key, found[0]?.[0]?.key, found[1]?.[0]?.value);
    const isAwaited = found[2]?.some((turn) => !this.#isOwnTurn(decode(turn.key))) ?? false;
    return { won: true, isAwaited };
  }

  /** The head is elsewhere: because another node was first, or this record is there from an attempt without a response. */
  #settle({ log, position }: Head, key: RecordKey, taken?: string, trimmed = ""): Append {
    if (taken !== undefined)
      return { won: parseRecordKey(taken, this.#keys.records(log)).id === key.id, isAwaited: false };
    if (Number(decode(trimmed)) > position)
      throw new AppendUnknown(`the record at position ${key.position} was removed meanwhile`);
    return { won: false, isAwaited: false };
  }
}

const MAX_READ_BYTES = 4 * 1024 * 1024;
/** So many records are read together with the keys of later records. */
const FIRST_RECORDS = 4;

type After = Pick<Head, "log" | "position">;

/** Reads records after a position. */
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
      // A record that was removed meanwhile ends the list.
      if (record.position !== after.position + read.length + 1) break;
      read.push(await this.#join(after.log, record, value));
    }
    return read;
  }

  /** The first records after a position, and the keys of the following ones, as they are at one moment. */
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
