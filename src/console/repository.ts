import { and, desc, eq, gt, lte, ne, or, sql } from "drizzle-orm";
import { type Audit, auditing } from "../db/audit.ts";
import { ifGiven } from "../db/if-given.ts";
import type { Database } from "../db/open.ts";
import { browserStates, sealingKeys } from "../db/schema/console.ts";
import { operatorSessionEnds, recordEnds } from "../db/management-access.ts";
import type { Act } from "../lib/actor.ts";
import { SESSION_ID_LENGTH, sessionIdOf } from "../lib/random.ts";

type Kind = typeof browserStates.$inferSelect.kind;

/** The console's state for a browser. Times are milliseconds UTC. */
export interface BrowserState {
  hash: string;
  kind: Kind;
  /** Whose session it is. */
  holder: string;
  sealed: string;
  /** The browser, such as `Firefox on Windows`. */
  device: string;
  openedAt: number;
  usedAt: number;
  until: number;
}

/** A session, as its user sees it. Times are milliseconds UTC. */
export interface SessionRow {
  hash: string;
  /** Null for sessions of earlier versions. */
  device: string | null;
  openedAt: number | null;
  usedAt: number;
}

/** Selects sessions of one holder. */
export interface SessionChoice {
  holder: string;
  /** Only the session with this id. */
  id?: string | undefined;
  /** All sessions except the one with this id. */
  exceptId?: string | undefined;
}

/** How many rows a sweep removes in one step. */
const SLICE_ROWS = 500;

const value = sql.placeholder;
const ofKind = eq(browserStates.kind, value("kind"));
const isState = and(eq(browserStates.hash, value("hash")), ofKind);

/** The columns of `SessionRow`. */
const SESSION = {
  hash: browserStates.hash,
  device: browserStates.device,
  openedAt: browserStates.openedAt,
  usedAt: browserStates.usedAt,
};

const sessionStatements = (orm: Database["orm"]) => {
  const ofHolder = and(eq(browserStates.kind, "session"), eq(browserStates.holder, value("holder")));
  const id = sql`substr(${browserStates.hash}, 1, ${sql.raw(`${SESSION_ID_LENGTH}`)})`;
  return {
    list: orm
      .select(SESSION)
      .from(browserStates)
      .where(
        and(ofHolder, gt(browserStates.until, value("now")), gt(browserStates.usedAt, value("unusedSince"))),
      )
      .orderBy(desc(browserStates.usedAt), desc(browserStates.openedAt), browserStates.hash)
      .prepare(),
    end: orm
      .delete(browserStates)
      .where(
        and(ofHolder, ifGiven("id", eq(id, value("id"))), ifGiven("exceptId", ne(id, value("exceptId")))),
      )
      .returning(SESSION)
      .prepare(),
  };
};

const stateStatements = (orm: Database["orm"]) => {
  /** Deletes all but the newest of those that meet the condition; a new one counts as the newest. */
  const keepNewest = (condition: typeof ofKind | undefined) =>
    orm
      .delete(browserStates)
      .where(
        sql`${browserStates.hash} in (select hash from browser_states where ${condition}
          order by used_at desc, hash = ${value("hash")} desc, hash limit -1 offset ${value("max")})`,
      )
      .returning({ hash: browserStates.hash, device: browserStates.device })
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
        device: value("device"),
        openedAt: value("openedAt"),
        usedAt: value("usedAt"),
        until: value("until"),
      })
      .prepare(),
    deleteKind: orm.delete(browserStates).where(ofKind).prepare(),
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

/** Lists and ends the sessions of one holder. */
const ownSessions = ({ orm, commit }: Pick<Database, "orm" | "commit">, record: Audit) => {
  const statements = sessionStatements(orm);
  return {
    /** The open ones, most recently used first. */
    async sessionsOf(holder: string, now: number, idleMs: number): Promise<SessionRow[]> {
      return statements.list.all({ holder, now, unusedSince: now - idleMs });
    },
    /** Ends sessions, in one atomic step. @returns their number */
    async endSessions({ holder, id, exceptId }: SessionChoice, act: Act): Promise<number> {
      const values = { holder, id: id ?? null, exceptId: exceptId ?? null };
      const [rows] = await commit([{ query: statements.end, values }], ([ended]) =>
        recordEnds(record, act, ended),
      );
      return rows.length;
    },
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

export const browserStateRepository = (database: Pick<Database, "client" | "orm" | "commit" | "fresh">) => {
  const { orm, commit, fresh } = database;
  const statements = stateStatements(orm);
  const record = auditing(database);
  const endOperatorSessions = operatorSessionEnds(database);
  return {
    ...ownSessions(database, record),
    ...sealingKeyStore(database),
    /** Waits until `find` sees the writes of other processes. */
    fresh,
    find(kind: Kind, hash: string): Pick<BrowserState, "sealed" | "usedAt" | "until"> | undefined {
      return statements.find.get({ kind, hash });
    },
    /**
     * Adds a session. The least recently used ones beyond `max`, and beyond `maxPerHolder` of its holder, end. A session of a
     * sign-in link ends immediately if an administrator can sign in.
     * @param method how the user signed in
     */
    async add(
      state: BrowserState,
      { max, maxPerHolder }: { max: number; maxPerHolder: number },
      { act, method }: { act: Act; method: string },
    ): Promise<void> {
      const { hash, device } = state;
      await commit(
        [
          { query: statements.insert, values: { ...state } },
          { query: statements.keepNewestOfHolder, values: { ...state, max: maxPerHolder } },
          { query: statements.keepNewest, values: { ...state, max } },
        ],
        ([, ofHolder, ofAll]) => [
          ...record(act, {
            action: "session.opened",
            id: sessionIdOf(hash),
            label: device,
            changes: [["method", null, method]],
          }),
          ...recordEnds(record, act, [...ofHolder, ...ofAll]),
          ...endOperatorSessions(act),
        ],
      );
    },
    /** Marks a challenge as used. Only one of several concurrent calls gets true, also across processes. */
    async spend(hash: string, times: { now: number; until: number }): Promise<boolean> {
      const values = { kind: "used_challenge", hash, ...times };
      const [rows] = await commit([{ query: statements.insertMark, values }]);
      return rows.length > 0;
    },
    /** Stores a sign-in link, which replaces the previous one. */
    async replaceLink(hash: string, times: { now: number; until: number }): Promise<void> {
      const values = { kind: "sign_in_link", hash, ...times };
      await commit([
        { query: statements.deleteKind, values },
        { query: statements.insertMark, values },
      ]);
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
