import { and, eq, lte, or, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { browserStates, sealingKeys } from "../db/schema/console.ts";

type Kind = typeof browserStates.$inferSelect.kind;

/** What the console remembers for a browser. Times are milliseconds UTC. */
export interface BrowserState {
  hash: string;
  kind: Kind;
  /** Whose session it is. */
  holder: string;
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
    /** A row without content. */
    insertMark: orm
      .insert(browserStates)
      .values({
        hash: value("hash"),
        kind: value("kind"),
        sealed: "",
        usedAt: value("now"),
        until: value("until"),
      })
      .onConflictDoNothing()
      .returning({ hash: browserStates.hash })
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

/** Reads and creates the store's key for cookies. */
const sealingKeyStore = ({ orm, commit }: Pick<Database, "orm" | "commit">) => {
  const readStatement = orm.select({ key: sealingKeys.key }).from(sealingKeys).limit(1).prepare();
  const addStatement = orm
    .insert(sealingKeys)
    .values({ one: 1, key: value("key") })
    .onConflictDoNothing()
    .prepare();
  const read = () => readStatement.get()?.key;
  return {
    /** The store's key for cookies. `create` generates it on first use. */
    async sealingKey(create: () => string): Promise<string> {
      const known = read();
      if (known !== undefined) return known;
      await commit([{ query: addStatement, values: { key: create() } }]);
      const added = read();
      if (added === undefined) throw new Error("the sealing key that was added is not in the database");
      return added;
    },
  };
};

export const browserStateRepository = (database: Pick<Database, "orm" | "commit" | "fresh">) => {
  const { orm, commit, fresh } = database;
  const statements = stateStatements(orm);
  return {
    ...sealingKeyStore(database),
    /** Waits until `find` sees the writes of other processes. */
    fresh,
    find(kind: Kind, hash: string): Pick<BrowserState, "sealed" | "usedAt" | "until"> | undefined {
      return statements.find.get({ kind, hash });
    },
    /**
     * Adds a session. The least recently used ones beyond `max`, and beyond `maxPerHolder` of its holder, end.
     */
    async add(
      state: BrowserState,
      { max, maxPerHolder }: { max: number; maxPerHolder: number },
    ): Promise<void> {
      await commit([
        { query: statements.insert, values: { ...state } },
        { query: statements.keepNewestOfHolder, values: { ...state, max: maxPerHolder } },
        { query: statements.keepNewest, values: { ...state, max } },
      ]);
    },
    /** Marks a challenge as used. Only one of several concurrent calls gets true, also across processes. */
    async spend(hash: string, times: { now: number; until: number }): Promise<boolean> {
      const values = { kind: "used_challenge", hash, ...times };
      const [rows] = await commit([{ query: statements.insertMark, values }]);
      return rows.length > 0;
    },
    async touch(kind: Kind, hash: string, now: number): Promise<void> {
      await commit([{ query: statements.touch, values: { kind, hash, now } }]);
    },
    /** Ends a state. Only one of several concurrent calls gets it, also across processes. */
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
