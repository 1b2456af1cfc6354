import type { DatabaseUrl } from "../../../lib/database-url.ts";
import type { EngineHealth, Head, LogFiles, PemFiles, Snapshot } from "../log.ts";
import type { Engine, LeasedKeys, Line, Place } from "./engine.ts";
import { etcdGateway, type EtcdGateway } from "./etcd-gateway.ts";
import {
  decode,
  encode,
  endOf,
  equals,
  isAbsent,
  type KeyRange,
  type Keys,
  keysOf,
  pad,
  putRequest,
  rangeOf,
} from "./etcd-keys.ts";
import { etcdRecords, headText, parseHead } from "./etcd-records.ts";
import { openSession } from "./etcd-session.ts";
import { askMembers } from "./attempt.ts";

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
  // etcd keeps removed data until its history is compacted. Another node may have compacted further.
  const { header } = await gateway.range({ key: encode(keys.head), keys_only: true });
  await gateway.call("kv/compaction", { revision: header.revision }).catch(() => {});
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
}

const healthOf = async (gateway: EtcdGateway): Promise<EngineHealth> => {
  const asked = await askMembers(gateway.urls, (url) =>
    gateway.ask<Status>(url, "maintenance/status", {}, HEALTH_MS),
  );
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
    bytesInUse: largest(({ dbSizeInUse }) => dbSizeInUse),
  };
};
