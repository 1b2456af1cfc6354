import type { Claim } from "../log.ts";
import { keepLease } from "./lease.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";
import type { PostgresWatch } from "./postgres-watch.ts";

/** Work that one node does: a row for each claim, which expires by the server's clock. */
export class PostgresClaims {
  readonly #primary: PostgresPrimary;
  readonly #name: string;
  readonly #held = new Set<Claim>();

  constructor(primary: PostgresPrimary, name: string) {
    this.#primary = primary;
    this.#name = name;
  }

  async take(claim: string, ttlMs: number, value = ""): Promise<Claim | undefined> {
    const holder = crypto.randomUUID();
    const since = performance.now();
    const rows = await this.#primary.run(
      async (sql) =>
        (await sql`
          INSERT INTO adoption_store_claim AS held (name, claim, holder, value, expires)
          VALUES (${this.#name}, ${claim}, ${holder}, ${value}, clock_timestamp() + ${ttlMs} * interval '1 ms')
          ON CONFLICT (name, claim) DO UPDATE
            SET holder = excluded.holder, value = excluded.value, expires = excluded.expires
            WHERE held.expires < clock_timestamp() OR held.holder = excluded.holder
          RETURNING 1
        `) as object[],
    );
    return rows.length > 0 ? this.#keep(claim, holder, ttlMs, since) : undefined;
  }

  async list(prefix: string): Promise<Map<string, string>> {
    const rows = await this.#primary.run(
      async (sql) =>
        (await sql`
          SELECT claim, value FROM adoption_store_claim
          WHERE name = ${this.#name} AND starts_with(claim, ${prefix}) AND expires > clock_timestamp()
        `) as { claim: string; value: string }[],
    );
    return new Map(rows.map(({ claim, value }) => [claim, value]));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held].map((claim) => claim[Symbol.asyncDispose]()));
  }

  #keep(claim: string, holder: string, ttlMs: number, since: number): Claim {
    const lease = keepLease({ ttlMs, since, renew: () => this.#renew(claim, holder, ttlMs) });
    const kept: Claim = {
      lost: lease.lost,
      update: async (value) => {
        await this.#primary.run(
          (sql) => sql`
          UPDATE adoption_store_claim SET value = ${value}
          WHERE name = ${this.#name} AND claim = ${claim} AND holder = ${holder}
        `,
        );
      },
      [Symbol.asyncDispose]: async () => {
        lease.stop();
        this.#held.delete(kept);
        await this.#release(claim, holder);
      },
    };
    lease.lost.addEventListener("abort", () => this.#held.delete(kept));
    this.#held.add(kept);
    return kept;
  }

  async #renew(claim: string, holder: string, ttlMs: number): Promise<boolean> {
    const rows = await this.#primary.run(
      async (sql) =>
        (await sql`
          UPDATE adoption_store_claim SET expires = clock_timestamp() + ${ttlMs} * interval '1 ms'
          WHERE name = ${this.#name} AND claim = ${claim} AND holder = ${holder} RETURNING 1
        `) as object[],
      { patienceMs: ttlMs / 3 },
    );
    return rows.length > 0;
  }

  async #release(claim: string, holder: string): Promise<void> {
    try {
      await this.#primary.run(
        (sql) => sql`
          DELETE FROM adoption_store_claim WHERE name = ${this.#name} AND claim = ${claim} AND holder = ${holder}
        `,
        { patienceMs: 1000 },
      );
    } catch {
      // It expires.
    }
  }
}

/** How long a node that has stopped keeps its turn, and its place in the line. */
const TTL_MS = 2000;
/** How long a node waits for its turn, before it writes without. */
const PATIENCE_MS = 3500;
/** Rows of nodes that have ended stay for so long. */
const FORGET = "1 minute";
/** For the case that a notification does not come. */
const LOOK_MS = 250;

const WITHOUT_TURN: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

interface Place {
  ticket: string;
  first: boolean;
}

/**
 * The line of nodes that wait for a turn at writing: rows that expire by the server's clock, because a node that has stopped
 * keeps its session, and so its advisory locks. These writes serve only fairness and do not wait for the disk.
 */
export class PostgresTurns {
  readonly #primary: PostgresPrimary;
  readonly #name: string;
  readonly #node: string;
  readonly #channel: string;
  readonly #watch: PostgresWatch;
  /** Called when the line may have moved. */
  #wake: () => void = () => {};

  /** Whether this node listens, or has a place in the line. */
  #isUsed = false;

  /** @param channel who listens to it learns when the line moves */
  constructor(
    primary: PostgresPrimary,
    watch: PostgresWatch,
    options: { name: string; node: string; channel: string },
  ) {
    this.#primary = primary;
    this.#watch = watch;
    this.#name = options.name;
    this.#node = options.node;
    this.#channel = options.channel;
  }

  async take(): Promise<AsyncDisposable> {
    if (!this.#isUsed) this.#watch.listen(this.#channel, () => this.#wake());
    this.#isUsed = true;
    const end = performance.now() + PATIENCE_MS;
    try {
      for (let since = performance.now(); performance.now() < end; since = performance.now()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        const place = await this.#stand(end - performance.now());
        if (place.first) return this.#keep(since);
        const timer = setTimeout(resolve, LOOK_MS);
        await promise;
        clearTimeout(timer);
      }
    } catch {
      // Without the engine there are no turns.
    }
    void this.#leave();
    return WITHOUT_TURN;
  }

  async close(): Promise<void> {
    if (this.#isUsed) await this.#leave();
  }

  #keep(since: number): AsyncDisposable {
    const renew = async () => {
      await this.#stand(TTL_MS / 3);
      return true;
    };
    const { stop } = keepLease({ ttlMs: TTL_MS, since, renew });
    return {
      [Symbol.asyncDispose]: async () => {
        stop();
        await this.#leave();
      },
    };
  }

  /** Takes or keeps this node's place in the line. */
  async #stand(patienceMs: number): Promise<Place> {
    const rows = await this.#primary.run(
      async (sql) =>
        (await sql`
          WITH own AS (
            INSERT INTO adoption_store_turn AS place (name, node, expires)
            VALUES (${this.#name}, ${this.#node}, clock_timestamp() + ${TTL_MS} * interval '1 ms')
            ON CONFLICT (name, node) DO UPDATE SET expires = excluded.expires RETURNING ticket
          ), old AS (
            DELETE FROM adoption_store_turn WHERE expires < clock_timestamp() - ${FORGET}::interval
          )
          SELECT ticket, set_config('synchronous_commit', 'off', true), NOT EXISTS (
            SELECT FROM adoption_store_turn AS place
            WHERE name = ${this.#name} AND node <> ${this.#node} AND place.ticket < own.ticket
              AND expires > clock_timestamp()
          ) AS first FROM own
        `) as Place[],
      { patienceMs },
    );
    return rows[0] ?? { ticket: "", first: false };
  }

  async #leave(): Promise<void> {
    try {
      await this.#primary.run(
        (sql) => sql`
          WITH left_line AS (
            DELETE FROM adoption_store_turn WHERE name = ${this.#name} AND node = ${this.#node} RETURNING 1
          )
          SELECT set_config('synchronous_commit', 'off', true), pg_notify(${this.#channel}, '') FROM left_line
        `,
        { patienceMs: 1000 },
      );
    } catch {
      // The place expires.
    }
  }
}
