import type { Claim } from "../log.ts";
import type { EtcdGateway } from "./etcd-gateway.ts";
import { type Keys, type Range, type Transaction, decode, encode, rangeOf } from "./etcd-keys.ts";
import type { EtcdLease, EtcdLeases } from "./etcd-leases.ts";

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
