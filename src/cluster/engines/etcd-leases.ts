import type { Claim } from "../log.ts";
import type { EtcdGateway } from "./etcd-gateway.ts";
import { decode, encode, type Keys, type Range, rangeOf, type Transaction } from "./etcd-keys.ts";
import { keepLease, type KeptLease } from "./lease.ts";

/** How long a node that has stopped keeps its turn, and its place in the line; etcd looks for ended leases twice a second. */
const TTL_MS = 2000;
/** How long a node waits for its turn, before it writes without. */
const PATIENCE_MS = 3500;
const LEAVE_PATIENCE_MS = 1000;

const WITHOUT_TURN: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

/** The line of nodes that wait for a turn at writing: etcd's lock, first come first served. */
export class EtcdTurns {
  readonly #gateway: EtcdGateway;
  readonly #keys: Keys;
  readonly #leases: EtcdLeases;
  #lease: Promise<EtcdLease> | undefined;
  #ownKey = "";

  constructor(gateway: EtcdGateway, keys: Keys, leases: EtcdLeases) {
    this.#gateway = gateway;
    this.#keys = keys;
    this.#leases = leases;
  }

  /** Whether a key in the line is this node's. */
  isOwn(key: string): boolean {
    return key === this.#ownKey;
  }

  async take(): Promise<AsyncDisposable> {
    try {
      const lease = await (this.#lease ??= this.#grant());
      const body = { name: encode(this.#keys.turn), lease: lease.id };
      // Once, at one member: a second request of the same lease would share the place in the line, and leave it when it ends.
      await this.#gateway.ask("lock/lock", body, PATIENCE_MS);
      return { [Symbol.asyncDispose]: () => this.#leave() };
    } catch {
      void this.#revoke();
      return WITHOUT_TURN;
    }
  }

  async #grant(): Promise<EtcdLease> {
    const lease = await this.#leases.grant(TTL_MS);
    lease.lost.addEventListener("abort", () => (this.#lease = undefined));
    this.#ownKey = `${this.#keys.turn}/${BigInt(lease.id).toString(16)}`;
    return lease;
  }

  async #leave(): Promise<void> {
    try {
      await this.#gateway.call("kv/deleterange", { key: encode(this.#ownKey) }, LEAVE_PATIENCE_MS);
    } catch {
      // The others are let through when the lease ends.
      await this.#revoke();
    }
  }

  async #revoke(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    try {
      await (await lease)?.revoke();
    } catch {
      // It could not be granted.
    }
  }
}

const REVOKE_PATIENCE_MS = 1000;

/** A lease of etcd: the keys that are bound to it are removed when it ends. */
interface EtcdLease extends KeptLease {
  readonly id: string;
  revoke(): Promise<void>;
}

/** The leases that this node has. */
export class EtcdLeases {
  readonly #gateway: EtcdGateway;
  readonly #held = new Set<EtcdLease>();

  constructor(gateway: EtcdGateway) {
    this.#gateway = gateway;
  }

  /** Renewed until it is revoked, or lost. */
  async grant(ttlMs: number): Promise<EtcdLease> {
    const since = performance.now();
    const { ID: id } = await this.#gateway.call<{ ID: string }>("lease/grant", {
      TTL: String(Math.ceil(ttlMs / 1000)),
    });
    const kept = keepLease({ ttlMs, since, renew: () => this.#renew(id, ttlMs / 3) });
    const lease = { id, ...kept, revoke: () => this.#revoke(lease) };
    kept.lost.addEventListener("abort", () => this.#held.delete(lease));
    this.#held.add(lease);
    return lease;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held].map((lease) => lease.revoke()));
  }

  async #renew(id: string, patienceMs: number): Promise<boolean> {
    const { result } = await this.#gateway.call<{ result: { TTL?: string } }>(
      "lease/keepalive",
      { ID: id },
      patienceMs,
    );
    return Number(result.TTL ?? 0) > 0;
  }

  async #revoke(lease: EtcdLease): Promise<void> {
    lease.stop();
    this.#held.delete(lease);
    // If this fails, it expires.
    await this.#gateway.call("lease/revoke", { ID: lease.id }, REVOKE_PATIENCE_MS).catch(() => {});
  }
}

/** Work that one node does: a key with a lease for each claim. */
export class EtcdClaims {
  readonly #gateway: EtcdGateway;
  readonly #keys: Keys;
  readonly #leases: EtcdLeases;

  constructor(gateway: EtcdGateway, keys: Keys, leases: EtcdLeases) {
    this.#gateway = gateway;
    this.#keys = keys;
    this.#leases = leases;
  }

  async take(name: string, ttlMs: number, value = ""): Promise<Claim | undefined> {
    const key = encode(this.#keys.claim + name);
    const { kvs } = await this.#gateway.call<Range>("kv/range", { key, keys_only: true });
    if (kvs?.[0]) return undefined;
    const lease = await this.#leases.grant(ttlMs);
    let isTaken = false;
    try {
      isTaken = await this.#put(key, value, lease);
    } finally {
      if (!isTaken) await lease.revoke();
    }
    if (!isTaken) return undefined;
    return {
      lost: lease.lost,
      update: (next) => this.#update(key, next, lease),
      [Symbol.asyncDispose]: () => lease.revoke(),
    };
  }

  async list(prefix: string): Promise<Map<string, string>> {
    const { claim } = this.#keys;
    const { kvs = [] } = await this.#gateway.call<Range>("kv/range", rangeOf(claim + prefix));
    return new Map(kvs.map(({ key, value = "" }) => [decode(key).slice(claim.length), decode(value)]));
  }

  async #put(key: string, value: string, lease: EtcdLease): Promise<boolean> {
    const { succeeded, responses } = await this.#gateway.call<Transaction>("kv/txn", {
      compare: [{ key, target: "CREATE", result: "EQUAL", create_revision: "0" }],
      success: [{ request_put: { key, value: encode(value), lease: lease.id } }],
      failure: [{ request_range: { key, keys_only: true } }],
    });
    // The response to the first attempt may have been lost.
    return succeeded ?? responses?.[0]?.response_range?.kvs?.[0]?.lease === lease.id;
  }

  async #update(key: string, value: string, lease: EtcdLease): Promise<void> {
    await this.#gateway.call("kv/txn", {
      compare: [{ key, target: "LEASE", result: "EQUAL", lease: lease.id }],
      success: [{ request_put: { key, value: encode(value), lease: lease.id } }],
    });
  }
}
