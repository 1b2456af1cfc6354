import type { EtcdGateway } from "./etcd-gateway.ts";
import { type KeptLease, keepLease } from "./lease.ts";

const REVOKE_PATIENCE_MS = 1000;

/** A lease of etcd: the keys that are bound to it are removed when it ends. */
export interface EtcdLease extends KeptLease {
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
    // It ends by itself, if this fails.
    await this.#gateway.call("lease/revoke", { ID: lease.id }, REVOKE_PATIENCE_MS).catch(() => {});
  }
}
