import { type EtcdGateway, etcdGateway, type KeyRange, openSession } from "./etcd-gateway.ts";
import {
  type EngineHealth,
  EngineUnavailable,
  type Head,
  type LogFiles,
  type LogRecord,
  LogTrimmed,
  type PemFiles,
  type Snapshot,
} from "../log.ts";
import { askMembers, EngineUnanswered } from "./attempt.ts";
import {
  type Appended,
  type Engine,
  type LeasedKeys,
  type Line,
  MAX_READ_BYTES,
  type Place,
} from "./engine.ts";
import type { DatabaseUrl } from "../../../lib/database-url.ts";

/** Keys and values as the gateway takes them: base64. */
const encode = (text: string): string => Buffer.from(text).toString("base64");
const decode = (text: string): string => Buffer.from(text, "base64").toString();

/** The end of a range whose last key is `key`, in base64. */
const endOf = (key: string): string =>
  Buffer.concat([Buffer.from(key, "base64"), Buffer.from([0])]).toString("base64");

const rangeOf = (prefix: string): KeyRange => {
  const end = Buffer.from(prefix);
  // No byte of UTF-8 is 0xff.
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return { key: encode(prefix), range_end: end.toString("base64") };
};

/** Conditions of a transaction, for keys and values in base64. */
const isAbsent = (key: string) => ({ key, target: "CREATE", result: "EQUAL", create_revision: "0" });
const equals = (key: string, value: string) => ({ key, target: "VALUE", result: "EQUAL", value });

/** @param lease the key is removed when it ends */
const putRequest = (key: string, value: string, lease?: string) => ({
  request_put: { key, value, ...(lease !== undefined && { lease }) },
});

const DIGITS = 16;
/** Positions sort as text. */
const pad = (position: number): string => String(position).padStart(DIGITS, "0");

/** The contents of a record's key, which provides ids and sizes without the records. */
interface RecordKey {
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
const keysOf = (prefix: string) => {
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
type Keys = ReturnType<typeof keysOf>;

/** @param key of the gateway @param records the prefix of the log's records */
const parseRecordKey = (key: string, records: string): RecordKey => {
  const [position = "", bytes = "", parts = "", ...id] = decode(key).slice(records.length).split("/");
  return { position: Number(position), bytes: Number(bytes), parts: Number(parts), id: id.join("/") };
};

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
    "etcd: the key with the end of the log was overwritten: put its last value back, or begin another log with adoption-store cluster join --replace; give the cluster a prefix that nothing else writes to",
  );
};

/** etcd takes requests of 1.5 MiB. */
const PART_BYTES = 1_000_000;
/** So many parts are sent or requested concurrently. */
const PARTS_AT_ONCE = 4;
/** So many records are read together with the keys of later records. */
const FIRST_RECORDS = 4;

/** Records after the head. @param node this node's name in the line for the write lease */
const etcdRecords = (gateway: EtcdGateway, keys: Keys, node: string): Pick<Engine, "append" | "read"> => {
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
      const [start, end] = [rest[0], rest.at(-1)];
      const range = start && end && { key: start.key, range_end: endOf(end.key) };
      const more = range && (await gateway.range(range)).kvs;
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

/** The first ones that take a few MiB together, at least one. */
const within = (keys: readonly RecordKey[]): RecordKey[] => {
  let sum = 0;
  return keys.filter(({ bytes }, index) => (sum += bytes) <= MAX_READ_BYTES || index === 0);
};

const HEALTH_MS = 1000;
/** A watch that is silent for so long begins again: the connection may be dead, or its member cut off. */
const SILENCE_MS = 5000;
const PAUSE_MS = 50;
const SLICE = 1000;
const RELEASE_MS = 1000;

/** A log in etcd, 3.4 or newer. */
export const openEtcd = (url: DatabaseUrl, tls: PemFiles | undefined): Engine => {
  const gateway = etcdGateway(openSession(url, tls));
  const keys = keysOf(url.path);
  const node = crypto.randomUUID();
  const [headKey, snapshotKey] = [encode(keys.head), encode(keys.snapshot)];
  return {
    async head() {
      const value = await gateway.value(headKey);
      return value === undefined ? undefined : parseHead(decode(value));
    },
    async begin(first: Snapshot, before: Head | undefined) {
      const { succeeded } = await gateway.transaction({
        compare: [before ? equals(headKey, encode(headText(before))) : isAbsent(headKey)],
        success: [
          putRequest(encode(keys.current), encode(first.log)),
          putRequest(headKey, encode(headText(first))),
          putRequest(snapshotKey, snapshotValue(first)),
          putRequest(encode(keys.trimmed(first.log)), encode(pad(first.position))),
        ],
      });
      return succeeded;
    },
    ...etcdRecords(gateway, keys, node),
    watch: (onChange, signal) => void watch(gateway, { key: headKey }, onChange, signal),
    async snapshot() {
      const value = await gateway.value(snapshotKey);
      return value === undefined ? undefined : (JSON.parse(decode(value)) as Snapshot);
    },
    async replaceSnapshot(before, next) {
      const { succeeded } = await gateway.transaction({
        compare: [equals(snapshotKey, snapshotValue(before))],
        success: [putRequest(snapshotKey, snapshotValue(next))],
      });
      return succeeded;
    },
    trim: (upTo) => trim(gateway, keys, upTo),
    claims: leasedKeys(gateway, keys.claim),
    line: line(gateway, keys.line, node),
    files: files(gateway, keys.file),
    health: () => healthOf(gateway),
    reclaim: () => reclaim(gateway, keys),
    close: gateway.close,
  };
};

/** It is compared as a whole, so there is one text for each snapshot. */
const snapshotValue = ({ log, position, id, checksum, reference }: Snapshot): string =>
  encode(JSON.stringify({ log, position, id, checksum, reference }));

/** In slices: other requests wait for each one. Ends when `log` is replaced: another node then removes the old records. */
const removeRange = async (gateway: EtcdGateway, keys: Keys, log: string, range: KeyRange): Promise<void> => {
  for (;;) {
    const { kvs = [], more } = await gateway.range({ ...range, keys_only: true, limit: String(SLICE) });
    const last = kvs.at(-1)?.key;
    if (last === undefined) return;
    const { succeeded } = await gateway.transaction({
      compare: [equals(encode(keys.current), encode(log))],
      success: [{ request_delete_range: { key: range.key, range_end: endOf(last) } }],
    });
    if (!more || !succeeded) return;
  }
};

const trim = async (gateway: EtcdGateway, keys: Keys, { log, position }: Place): Promise<void> => {
  const [key, value] = [encode(keys.trimmed(log)), encode(pad(position))];
  await gateway.transaction({
    compare: [{ key, target: "VALUE", result: "LESS", value }],
    success: [putRequest(key, value)],
  });
  const trimmed = await gateway.value(key);
  if (trimmed === undefined) return;
  const end = pad(Number(decode(trimmed)) + 1);
  const [all, own] = [rangeOf(keys.logs), rangeOf(keys.log(log))];
  for (const range of [
    ...[keys.records(log), keys.allParts(log)].map((prefix) => ({
      key: encode(prefix),
      range_end: encode(prefix + end),
    })),
    // Other logs.
    { key: all.key, range_end: own.key },
    { key: own.range_end, range_end: all.range_end },
  ])
    await removeRange(gateway, keys, log, range);
  await compact(gateway, keys);
};

/** etcd keeps removed data until its history is compacted. Another node may have compacted further. */
const compact = async (gateway: EtcdGateway, keys: Keys, physical = false): Promise<void> => {
  const { header } = await gateway.range({ key: encode(keys.head), keys_only: true });
  await gateway.call("kv/compaction", { revision: header.revision, physical }).catch(() => {});
};

interface Alarm {
  memberID: string;
  alarm: string;
}

const DEFRAGMENT_MS = 60_000;

/**
 * A compaction releases pages, a defragmentation returns them, and only then the alarm may end. A member responds to nothing
 * meanwhile, so they take turns.
 * @throws AttemptFailed of the last member, if none can: it requires etcd's role `root`
 */
const reclaim = async (gateway: EtcdGateway, keys: Keys): Promise<void> => {
  await compact(gateway, keys, true);
  let failure: unknown;
  let done = 0;
  for (const url of gateway.urls)
    await gateway.ask(url, "maintenance/defragment", {}, DEFRAGMENT_MS).then(
      () => done++,
      (error: unknown) => (failure = error),
    );
  if (done === 0) throw failure;
  const { alarms = [] } = await gateway.call<{ alarms?: Alarm[] }>("maintenance/alarm", { action: "GET" });
  for (const { memberID, alarm } of alarms)
    if (alarm === "NOSPACE")
      await gateway.call("maintenance/alarm", { action: "DEACTIVATE", memberID, alarm });
};

const watch = async (
  gateway: EtcdGateway,
  keys: { key: string; range_end?: string },
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted && !gateway.isClosed()) {
    try {
      // The first message marks the start of the watch; earlier changes are not reported.
      for await (const _ of gateway.stream("watch", { create_request: keys }, SILENCE_MS, signal))
        if (!signal.aborted) onChange();
    } catch {
      // The next round asks another member.
    }
    await Bun.sleep(PAUSE_MS);
  }
};

/** Keys below `prefix`, each with a lease: etcd removes the key when the lease ends. */
const leasedKeys = (gateway: EtcdGateway, prefix: string): LeasedKeys => ({
  async put(name, ttlMs, value) {
    const key = encode(prefix + name);
    // Nodes that wait for a key ask often, and need no lease until it is gone.
    if ((await gateway.value(key)) !== undefined) return undefined;
    const TTL = String(Math.ceil(ttlMs / 1000));
    const { ID } = await gateway.call<{ ID: string }>("lease/grant", { TTL });
    const release = (patienceMs?: number) => gateway.call("lease/revoke", { ID }, patienceMs);
    const putIf = (condition: object, next: string) =>
      gateway.transaction({
        compare: [condition],
        success: [putRequest(key, encode(next), ID)],
        failure: [{ request_range: { key, keys_only: true } }],
      });
    let isPut = false;
    try {
      const { succeeded, found } = await putIf(isAbsent(key), value);
      // The response to the first attempt may have been lost.
      isPut = succeeded || found[0]?.[0]?.lease === ID;
    } finally {
      if (!isPut) await release(RELEASE_MS).catch(() => {});
    }
    if (!isPut) return undefined;
    return {
      async renew(patienceMs) {
        const { result } = await gateway.call<{ result: { TTL?: string } }>(
          "lease/keepalive",
          { ID },
          patienceMs,
        );
        return Number(result.TTL ?? 0) > 0;
      },
      update: async (next) => void (await putIf({ key, target: "LEASE", result: "EQUAL", lease: ID }, next)),
      release,
    };
  },
  async list(under) {
    const { kvs = [] } = await gateway.range(rangeOf(prefix + under));
    return new Map(kvs.map(({ key, value = "" }) => [decode(key).slice(prefix.length), decode(value)]));
  },
});

/** The order of places is that in which their keys were made. An older program names them by their leases, in etcd's lock. */
const line = (gateway: EtcdGateway, prefix: string, node: string): Line => ({
  join: (ttlMs) => leasedKeys(gateway, prefix).put(node, ttlMs, ""),
  async isFirst(patienceMs) {
    const { kvs } = await gateway.range(
      { ...rangeOf(prefix), keys_only: true, limit: "1", sort_order: "ASCEND", sort_target: "CREATE" },
      patienceMs,
    );
    return kvs?.[0]?.key === encode(prefix + node);
  },
  watch: (onMove, signal) => void watch(gateway, rangeOf(prefix), onMove, signal),
});

const files = (gateway: EtcdGateway, prefix: string): LogFiles => ({
  async put(name, content) {
    await gateway.call("kv/put", { key: encode(prefix + name), value: content.toBase64() });
  },
  async get(name) {
    const value = await gateway.value(encode(prefix + name));
    return value === undefined ? undefined : Uint8Array.fromBase64(value);
  },
  async list(under) {
    const { kvs = [] } = await gateway.range({ ...rangeOf(prefix + under), keys_only: true });
    return kvs.map(({ key }) => decode(key).slice(prefix.length));
  },
  async remove(names) {
    for (const name of names) await gateway.call("kv/deleterange", { key: encode(prefix + name) });
  },
});

interface Status {
  header: { member_id: string };
  version: string;
  leader?: string;
  dbSize?: string;
  dbSizeInUse?: string;
  errors?: string[];
  /** Since etcd 3.6. */
  dbSizeQuota?: string;
}

const healthOf = async (gateway: EtcdGateway): Promise<EngineHealth> => {
  const asked = await askMembers(gateway.urls, async (url) => {
    const [status, quota] = await Promise.all([
      gateway.ask<Status>(url, "maintenance/status", {}, HEALTH_MS),
      gateway.quota(url),
    ]);
    return { ...status, quota: Number(status.dbSizeQuota ?? 0) || quota };
  });
  const statuses = asked.flatMap(({ state }) => state ?? []);
  const largest = (size: (status: Status) => string | undefined): number | undefined =>
    statuses.length === 0 ? undefined : Math.max(...statuses.map((status) => Number(size(status) ?? 0)));
  return {
    version: statuses[0] && `etcd ${statuses[0].version}`,
    members: asked.map(({ host, state, problem }) => ({
      address: host.replace(/^https?:\/\//, ""),
      problem: problem ?? (state.errors?.join(", ") || (state.leader ? undefined : "has no leader")),
      isLeader: state !== undefined && state.leader === state.header.member_id,
    })),
    bytes: largest(({ dbSize }) => dbSize),
    // The first member to reach its quota stops all writes.
    quota: statuses.flatMap(({ quota }) => quota ?? []).toSorted((a, b) => a - b)[0],
    isFull: statuses.some(({ errors }) => errors?.some((error) => error.includes("NOSPACE")) ?? false),
    bytesInUse: largest(({ dbSizeInUse }) => dbSizeInUse),
  };
};
