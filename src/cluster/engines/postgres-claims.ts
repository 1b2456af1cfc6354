import type { Claim } from "../log.ts";
import { keepLease } from "./lease.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";

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
      // It expires by itself.
    }
  }
}
