import type { EtcdGateway } from "./etcd-gateway.ts";
import { type Keys, encode } from "./etcd-keys.ts";
import type { EtcdLease, EtcdLeases } from "./etcd-leases.ts";

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
