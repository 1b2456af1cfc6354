import { type SQL, sql } from "drizzle-orm";
import { record } from "../../data/db/audit.ts";
import { endOperatorSessions, recordEnds } from "../../data/db/management-access.ts";
import type { Database } from "../../data/db/open.ts";
import { browserStates, sealingKeys } from "../../data/db/schema/console.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { SESSION_ID_LENGTH, sessionIdOf } from "../../lib/random.ts";

type Row = typeof browserStates.$inferSelect;
type Kind = Row["kind"];

/** The console's state for a browser, of a session with all of its columns. */
type BrowserState = { [Name in keyof Row]: NonNullable<Row[Name]> };

/** A session, as its user sees it. Sessions of earlier versions have no device and no beginning. */
type SessionRow = Pick<Row, "hash" | "device" | "openedAt" | "usedAt">;

/** Selects sessions of one holder. */
export interface SessionChoice {
  holder: string;
  /** Only the session with this id. */
  id?: string;
  /** All sessions except the one with this id. */
  exceptId?: string;
}

const IS_OF_KIND = sql`${browserStates.kind} = ${value("kind")}`;
const IS_STATE = sql`${browserStates.hash} = ${value("hash")} AND ${IS_OF_KIND}`;
const IS_OF_HOLDER = sql`${browserStates.kind} = 'session' AND ${browserStates.holder} = ${value("holder")}`;
const ID = sql`substr(${browserStates.hash}, 1, ${SESSION_ID_LENGTH})`;
const SESSION = columnsOf(browserStates, "hash", "device", "openedAt", "usedAt");

const SESSIONS = statement<SessionRow>(sql`
  SELECT ${SESSION}
  FROM ${browserStates}
  WHERE ${IS_OF_HOLDER}
    AND ${browserStates.until} > ${value("now")}
    AND ${browserStates.usedAt} > ${value("unusedSince")}
  ORDER BY ${browserStates.usedAt} DESC, ${browserStates.openedAt} DESC, ${browserStates.hash}`);

const END_SESSIONS = statement<SessionRow>(sql`
  DELETE FROM ${browserStates}
  WHERE ${IS_OF_HOLDER}
    AND (${value("id")} IS NULL OR ${ID} = ${value("id")})
    AND (${value("exceptId")} IS NULL OR ${ID} <> ${value("exceptId")})
  RETURNING ${SESSION}`);

const FIND = statement<Row>(sql`SELECT ${columnsOf(browserStates)} FROM ${browserStates} WHERE ${IS_STATE}`);

const INSERT = statement(
  insert(
    browserStates,
    valuesFor("hash", "kind", "holder", "sealed", "device", "openedAt", "usedAt", "until"),
  ),
);

/** A row without content. */
const INSERT_MARK = statement(sql`
  ${insert(browserStates, { ...valuesFor("hash", "kind", "until"), sealed: "", usedAt: value("now") })}
  ON CONFLICT DO NOTHING
  RETURNING 1`);

const DELETE_KIND = statement(sql`DELETE FROM ${browserStates} WHERE ${IS_OF_KIND}`);

/** Deletes all but the newest of those that meet the condition; a new one counts as the newest. */
const keepNewest = (condition: SQL) =>
  statement<Pick<Row, "hash" | "device">>(sql`
    DELETE FROM ${browserStates}
    WHERE ${browserStates.hash} IN (
      SELECT ${browserStates.hash}
      FROM ${browserStates}
      WHERE ${condition}
      ORDER BY ${browserStates.usedAt} DESC, ${browserStates.hash} = ${value("hash")} DESC, ${browserStates.hash}
      LIMIT -1 OFFSET ${value("max")})
    RETURNING ${columnsOf(browserStates, "hash", "device")}`);

const KEEP_NEWEST = keepNewest(IS_OF_KIND);
const KEEP_NEWEST_OF_HOLDER = keepNewest(sql`${IS_OF_KIND} AND ${browserStates.holder} = ${value("holder")}`);

const TOUCH = statement(sql`
  ${update(browserStates, { usedAt: sql`max(${browserStates.usedAt}, ${value("now")})` })}
  WHERE ${IS_STATE}`);

const TAKE = statement<Pick<Row, "sealed" | "until">>(sql`
  DELETE FROM ${browserStates}
  WHERE ${IS_STATE}
  RETURNING ${columnsOf(browserStates, "sealed", "until")}`);

/** How many rows a sweep removes in one step. */
const SLICE_ROWS = 500;

const ENDED = sql`
      SELECT ${browserStates.hash}
      FROM ${browserStates}
      WHERE ${browserStates.until} <= ${value("now")}
        OR (${browserStates.kind} = 'session' AND ${browserStates.usedAt} <= ${value("unusedSince")})`;

const FIND_ENDED = statement(ENDED);

const SWEEP = statement(sql`
  DELETE FROM ${browserStates}
  WHERE ${browserStates.hash} IN (${ENDED}
      ORDER BY ${browserStates.hash}
      LIMIT ${SLICE_ROWS})`);

const SEALING_KEY = statement<{ key: string }>(sql`
  SELECT ${columnsOf(sealingKeys, "key")}
  FROM ${sealingKeys}`);

const ADD_SEALING_KEY = statement(sql`
  ${insert(sealingKeys, { one: 1, key: value("key") })}
  ON CONFLICT DO NOTHING`);

export const browserStateRepository = ({ client, commit, fresh }: Database) => {
  const readSealingKey = () => SEALING_KEY.get(client)?.key;
  return {
    /** The open sessions of a holder, most recently used first. */
    sessionsOf: async (holder: string, now: number, idleMs: number) =>
      SESSIONS.all(client, { holder, now, unusedSince: now - idleMs }),
    /** Ends sessions of a holder, in one atomic step. @returns their number */
    async endSessions({ holder, id, exceptId }: SessionChoice, act: Act): Promise<number> {
      const values = { holder, id: id ?? null, exceptId: exceptId ?? null };
      const [rows] = await commit([END_SESSIONS.with(values)], ([ended]) => recordEnds(act, ended));
      return rows.length;
    },
    /** The store's key for cookies. `create` generates it on first use. */
    async sealingKey(create: () => string): Promise<string> {
      const known = readSealingKey();
      if (known !== undefined) return known;
      await commit([ADD_SEALING_KEY.with({ key: create() })]);
      const added = readSealingKey();
      if (added === undefined) throw new Error("the sealing key that was added is not in the database");
      return added;
    },
    /** Waits until `find` sees the writes of other processes. */
    fresh,
    find: (kind: Kind, hash: string): Pick<Row, "sealed" | "usedAt" | "until"> | undefined =>
      FIND.get(client, { kind, hash }),
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
          INSERT.with(state),
          KEEP_NEWEST_OF_HOLDER.with({ ...state, max: maxPerHolder }),
          KEEP_NEWEST.with({ ...state, max }),
        ],
        ([, ofHolder, ofAll], connection) => [
          ...record(act, {
            action: "session.opened",
            id: sessionIdOf(hash),
            label: device,
            changes: [["method", null, method]],
          }),
          ...recordEnds(act, [...ofHolder, ...ofAll]),
          ...endOperatorSessions(connection, act),
        ],
      );
    },
    /** Marks a challenge as used. Only one of several concurrent calls gets true, also across processes. */
    async spend(hash: string, times: { now: number; until: number }): Promise<boolean> {
      const [rows] = await commit([INSERT_MARK.with({ kind: "used_challenge", hash, ...times })]);
      return rows.length > 0;
    },
    /** Stores a sign-in link, which replaces the previous one. */
    async replaceLink(hash: string, times: { now: number; until: number }): Promise<void> {
      const values = { kind: "sign_in_link", hash, ...times };
      await commit([DELETE_KIND.with(values), INSERT_MARK.with(values)]);
    },
    async touch(kind: Kind, hash: string, now: number): Promise<void> {
      await commit([TOUCH.with({ kind, hash, now })]);
    },
    /** Ends a state. Only one of several concurrent calls gets it, also across processes. */
    async take(kind: Kind, hash: string): Promise<Pick<Row, "sealed" | "until"> | undefined> {
      const [[row]] = await commit([TAKE.with({ kind, hash })]);
      return row;
    },
    /** Removes some of those that have ended; true if there may be more. */
    async sweep(now: number, idleMs: number): Promise<boolean> {
      const values = { now, unusedSince: now - idleMs };
      if (!FIND_ENDED.get(client, values)) return false;
      await commit([SWEEP.with(values)]);
      return true;
    },
  };
};

export type BrowserStates = ReturnType<typeof browserStateRepository>;
