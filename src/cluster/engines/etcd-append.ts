import { AppendUnknown, RecordTooLarge } from "../errors.ts";
import type { Append, Head } from "../log.ts";
import { EngineUnanswered } from "./attempt.ts";
import type { EtcdGateway } from "./etcd-gateway.ts";
import { PARTS_AT_ONCE, PART_BYTES, headText } from "./etcd-head.ts";
import {
  type Keys,
  type RecordKey,
  type Transaction,
  decode,
  encode,
  pad,
  parseRecordKey,
  rangeOf,
} from "./etcd-keys.ts";

const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** Puts records behind the head. */
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

  /** Those of an append that lost. What this leaves behind is removed with the records. */
  #removeParts(log: string, { position, id }: RecordKey): void {
    this.#gateway.call("kv/deleterange", rangeOf(this.#keys.parts(log, position, id))).catch(() => {});
  }

  /** Compares the head as a whole, id included, so that a lost response can be told from a lost race. */
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
