import { and, eq, lte, or, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { browserStates } from "../db/schema/console.ts";

type Kind = typeof browserStates.$inferSelect.kind;

/** What the console remembers for a browser. Times are milliseconds UTC. */
export interface BrowserState {
  hash: string;
  kind: Kind;
  /** Whose session it is. */
  holder: string | undefined;
  sealed: string;
  usedAt: number;
  until: number;
}

/** How many rows a sweep removes at once. */
const SLICE_ROWS = 500;

const value = sql.placeholder;
const ofKind = eq(browserStates.kind, value("kind"));
const isState = and(eq(browserStates.hash, value("hash")), ofKind);

const stateStatements = (orm: Database["orm"]) => {
  /** Deletes all but the newest of those that meet the condition; a new one counts as the newest. */
  const keepNewest = (condition: typeof ofKind | undefined) =>
    orm
      .delete(browserStates)
      .where(
        sql`${browserStates.hash} in (select hash from browser_states where ${condition}
          order by used_at desc, hash = ${value("hash")} desc, hash limit -1 offset ${value("max")})`,
      )
      .prepare();
  const expired = sql`select hash from browser_states where until <= ${value("now")}
    or (kind = 'session' and used_at <= ${value("unusedSince")}) order by hash limit ${sql.raw(`${SLICE_ROWS}`)}`;
  return {
    find: orm.select().from(browserStates).where(isState).limit(1).prepare(),
    insert: orm
      .insert(browserStates)
      .values({
        hash: value("hash"),
        kind: value("kind"),
        holder: value("holder"),
        sealed: value("sealed"),
        usedAt: value("usedAt"),
        until: value("until"),
      })
      .prepare(),
    keepNewest: keepNewest(ofKind),
    keepNewestOfHolder: keepNewest(and(ofKind, eq(browserStates.holder, value("holder")))),
    touch: orm
      .update(browserStates)
      .set({ usedAt: sql`max(${browserStates.usedAt}, ${value("now")})` })
      .where(isState)
      .prepare(),
    take: orm
      .delete(browserStates)
      .where(isState)
      .returning({ sealed: browserStates.sealed, until: browserStates.until })
      .prepare(),
    expired: orm
      .select({ hash: browserStates.hash })
      .from(browserStates)
      .where(
        or(
          lte(browserStates.until, value("now")),
          and(eq(browserStates.kind, "session"), lte(browserStates.usedAt, value("unusedSince"))),
        ),
      )
      .limit(1)
      .prepare(),
    sweep: orm
      .delete(browserStates)
      .where(sql`${browserStates.hash} in (${expired})`)
      .prepare(),
  };
};

export const browserStateRepository = ({
  orm,
  commit,
  fresh,
}: Pick<Database, "orm" | "commit" | "fresh">) => {
  const statements = stateStatements(orm);
  return {
    /** Waits until `find` sees the writes of other processes. */
    fresh,
    find(kind: Kind, hash: string): Pick<BrowserState, "sealed" | "usedAt" | "until"> | undefined {
      return statements.find.get({ kind, hash });
    },
    /** Adds a state. Beyond `max` of its kind, or `maxPerHolder` of its holder, those end that were not used for longest. */
    async add(
      state: BrowserState,
      { max, maxPerHolder = max }: { max: number; maxPerHolder?: number },
    ): Promise<void> {
      const values = { ...state, holder: state.holder ?? null };
      await commit([
        { query: statements.insert, values },
        ...(state.holder === undefined
          ? []
          : [{ query: statements.keepNewestOfHolder, values: { ...values, max: maxPerHolder } }]),
        { query: statements.keepNewest, values: { ...values, max } },
      ]);
    },
    async touch(kind: Kind, hash: string, now: number): Promise<void> {
      await commit([{ query: statements.touch, values: { kind, hash, now } }]);
    },
    /** Ends a state. Of concurrent calls, here and in other processes, one gets it. */
    async take(kind: Kind, hash: string): Promise<Pick<BrowserState, "sealed" | "until"> | undefined> {
      const [[row]] = await commit([{ query: statements.take, values: { kind, hash } }]);
      return row;
    },
    /** Removes some of those that have ended; true if there may be more. */
    async sweep(now: number, idleMs: number): Promise<boolean> {
      const values = { now, unusedSince: now - idleMs };
      if (!statements.expired.get(values)) return false;
      await commit([{ query: statements.sweep, values }]);
      return true;
    },
  };
};

export type BrowserStates = ReturnType<typeof browserStateRepository>;
