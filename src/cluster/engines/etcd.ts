import type { DatabaseUrl } from "../../lib/database-url.ts";
import type { EngineMember, Log, LogFiles, PemFiles, Snapshot } from "../log.ts";
import { EtcdGateway } from "./etcd-gateway.ts";
import {
  type KeyRange,
  type Keys,
  type Range,
  type Transaction,
  decode,
  encode,
  endOf,
  keysOf,
  pad,
  rangeOf,
} from "./etcd-keys.ts";
import { EtcdAppend, EtcdRead, headIn, headText } from "./etcd-records.ts";
import { EtcdClaims, EtcdLeases, EtcdTurns } from "./etcd-leases.ts";
import { openSession } from "./etcd-session.ts";

const HEALTH_MS = 1000;
/** A watch that is silent for so long begins again: the connection may be dead, or its member cut off. */
const SILENCE_MS = 5000;
const PAUSE_MS = 50;
const SLICE = 1000;

/** A log in etcd, 3.4 or newer. */
export const openEtcd = (url: DatabaseUrl, tls: PemFiles | undefined): Log => {
  const gateway = new EtcdGateway(openSession(url, tls));
  const keys = keysOf(url.path);
  const leases = new EtcdLeases(gateway);
  const turns = new EtcdTurns(gateway, keys, leases);
  const claims = new EtcdClaims(gateway, keys, leases);
  const appends = new EtcdAppend(gateway, keys, (key) => turns.isOwn(key));
  const reads = new EtcdRead(gateway, keys);

  const snapshot = async (): Promise<Snapshot | undefined> => {
    const { kvs } = await gateway.call<Range>("kv/range", { key: encode(keys.snapshot) });
    return kvs?.[0] && (JSON.parse(decode(kvs[0].value ?? "")) as Snapshot);
  };

  return {
    head: () => reads.head(),
    append: (after, id, record) => appends.append(after, id, record),
    read: (after, limit) => reads.read(after, limit),
    create: (first, replaces) => create(gateway, keys, first, replaces),
    watch(onChange, signal) {
      void watch(gateway, keys, onChange, signal);
    },
    turn: () => turns.take(),
    claim: (name, ttlMs, value) => claims.take(name, ttlMs, value),
    claims: (prefix) => claims.list(prefix),
    snapshot,
    async announce(next) {
      for (;;) {
        const current = await snapshot();
        // The response to the first attempt may have been lost.
        if (current && Bun.deepEquals(current, next)) return true;
        if (current?.log !== next.log || next.position <= current.position) return false;
        const { succeeded } = await gateway.call<Transaction>("kv/txn", {
          compare: [equals(keys.snapshot, snapshotText(current))],
          success: [put(keys.snapshot, snapshotText(next))],
        });
        if (succeeded) return true;
      }
    },
    async trim(upTo) {
      const current = await snapshot();
      if (current) await trim(gateway, keys, current, upTo);
    },
    files: files(gateway, keys),
    health: () => health(gateway),
    async close() {
      await leases.close();
      gateway.close();
    },
  };
};

const snapshotText = ({ log, position, id, checksum, reference }: Snapshot): string =>
  JSON.stringify({ log, position, id, checksum, reference });

const equals = (key: string, value: string) => ({
  key: encode(key),
  target: "VALUE",
  result: "EQUAL",
  value: encode(value),
});
const put = (key: string, value: string) => ({ request_put: { key: encode(key), value: encode(value) } });

const create = async (
  gateway: EtcdGateway,
  keys: Keys,
  first: Snapshot,
  replaces: string | undefined,
): Promise<boolean> => {
  for (;;) {
    const head = headIn(await gateway.call<Range>("kv/range", { key: encode(keys.head) }));
    // The response to the first attempt may have been lost.
    if (head?.log === first.log) return true;
    if (head?.log !== replaces) return false;
    const isNew = { key: encode(keys.head), target: "CREATE", result: "EQUAL", create_revision: "0" };
    const { succeeded } = await gateway.call<Transaction>("kv/txn", {
      compare: [head ? equals(keys.head, headText(head)) : isNew],
      success: [
        put(keys.current, first.log),
        put(keys.head, headText(first)),
        put(keys.snapshot, snapshotText(first)),
        put(keys.trimmed(first.log), pad(first.position)),
      ],
    });
    if (!succeeded) continue;
    await removeOtherLogs(gateway, keys, first.log);
    return true;
  }
};

/** In slices: other requests wait for each one. Ends when `log` is replaced: another node then removes the old records. */
const removeRange = async (gateway: EtcdGateway, keys: Keys, log: string, range: KeyRange): Promise<void> => {
  for (;;) {
    const { kvs = [], more } = await gateway.call<Range>("kv/range", {
      ...range,
      keys_only: true,
      limit: String(SLICE),
    });
    const last = kvs.at(-1)?.key;
    if (last === undefined) return;
    const { succeeded } = await gateway.call<Transaction>("kv/txn", {
      compare: [equals(keys.current, log)],
      success: [{ request_delete_range: { key: range.key, range_end: endOf(last) } }],
    });
    if (!more || !succeeded) return;
  }
};

const removeOtherLogs = async (gateway: EtcdGateway, keys: Keys, log: string): Promise<void> => {
  const [all, own] = [rangeOf(keys.logs), rangeOf(keys.log(log))];
  await removeRange(gateway, keys, log, { key: all.key, range_end: own.key });
  await removeRange(gateway, keys, log, { key: own.range_end, range_end: all.range_end });
};

/** Records the removal first, so that no reader takes the next record for the first. */
const trim = async (gateway: EtcdGateway, keys: Keys, { log, position }: Snapshot, upTo: number) => {
  const to = pad(Math.min(upTo, position));
  await gateway.call<Transaction>("kv/txn", {
    compare: [{ key: encode(keys.trimmed(log)), target: "VALUE", result: "LESS", value: encode(to) }],
    success: [put(keys.trimmed(log), to)],
  });
  const trimmed = await gateway.call<Range>("kv/range", { key: encode(keys.trimmed(log)) });
  const value = trimmed.kvs?.[0]?.value;
  if (value === undefined) return;
  const end = pad(Number(decode(value)) + 1);
  for (const prefix of [keys.records(log), keys.allParts(log)])
    await removeRange(gateway, keys, log, { key: encode(prefix), range_end: encode(prefix + end) });
  await removeOtherLogs(gateway, keys, log);
  // etcd keeps removed data until its history is compacted. Another node may have compacted further.
  const { header } = await gateway.call<Range>("kv/range", { key: encode(keys.head), keys_only: true });
  await gateway.call("kv/compaction", { revision: header.revision }).catch(() => {});
};

const watch = async (
  gateway: EtcdGateway,
  keys: Keys,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> => {
  const body = { create_request: { key: encode(keys.head) } };
  while (!signal.aborted && !gateway.isClosed) {
    try {
      // The first message marks the start of the watch; earlier changes are not reported.
      for await (const _ of gateway.stream("watch", body, SILENCE_MS, signal))
        if (!signal.aborted) onChange();
    } catch {
      // The next round asks another member.
    }
    await Bun.sleep(PAUSE_MS);
  }
};

const files = (gateway: EtcdGateway, keys: Keys): LogFiles => ({
  async put(name, content) {
    await gateway.call("kv/put", { key: encode(keys.file + name), value: content.toBase64() });
  },
  async get(name) {
    const { kvs } = await gateway.call<Range>("kv/range", { key: encode(keys.file + name) });
    return kvs?.[0] && Uint8Array.fromBase64(kvs[0].value ?? "");
  },
  async list(prefix) {
    const { kvs = [] } = await gateway.call<Range>("kv/range", {
      ...rangeOf(keys.file + prefix),
      keys_only: true,
    });
    return kvs.map(({ key }) => decode(key).slice(keys.file.length));
  },
  async remove(names) {
    for (const name of names) await gateway.call("kv/deleterange", { key: encode(keys.file + name) });
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

const health = async (gateway: EtcdGateway) => {
  const asked = await Promise.all(
    gateway.urls.map(async (url) => {
      const address = url.replace(/^https?:\/\//, "");
      try {
        const status = await gateway.ask<Status>("maintenance/status", {}, HEALTH_MS, url);
        const problem = status.errors?.join(", ") || (status.leader ? undefined : "has no leader");
        const isLeader = status.leader === status.header.member_id;
        const member: EngineMember = { address, problem, isLeader };
        return { member, status };
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        return { member: { address, problem, isLeader: false }, status: undefined };
      }
    }),
  );
  const statuses = asked.flatMap(({ status }) => status ?? []);
  const largest = (size: (status: Status) => string | undefined): number | undefined =>
    statuses.length === 0 ? undefined : Math.max(...statuses.map((status) => Number(size(status) ?? 0)));
  return {
    version: statuses[0] && `etcd ${statuses[0].version}`,
    members: asked.map(({ member }) => member),
    bytes: largest(({ dbSize }) => dbSize),
    bytesInUse: largest(({ dbSizeInUse }) => dbSizeInUse),
  };
};
