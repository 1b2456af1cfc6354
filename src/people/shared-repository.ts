import { type Audit, auditing } from "../db/audit.ts";
import type { Commit } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { operatorSessionEnds } from "../db/session-ends.ts";
import type { Action } from "../lib/actions.ts";
import { lruCache } from "../lib/lru.ts";
import type { Passkey, Person } from "./person.ts";
import { identityStatements, passkeyStatements, personQueries, personStatements } from "./queries.ts";

type Row = NonNullable<ReturnType<ReturnType<typeof personQueries>["findQuery"]["get"]>>;

const MAX_CACHED_PEOPLE = 1000;

const toPasskey = ({ lastUsedAt, ...passkey }: Passkey & { lastUsedAt: number | null }): Passkey => ({
  ...passkey,
  lastUsedAt: lastUsedAt ?? undefined,
});

export const toPerson = (row: Row): Person => ({
  ...row,
  email: row.email ?? "",
  lastSeenAt: row.lastSeenAt ?? undefined,
  invitedUntil: row.invitedUntil ?? undefined,
  passkeys: (JSON.parse(row.passkeys) as (Passkey & { lastUsedAt: number | null })[]).map(toPasskey),
  issuers: JSON.parse(row.issuers) as string[],
});

/** People by id, until one changes, here or in another process. */
const personCache = (
  { fresh, foreignVersion }: Pick<Database, "fresh" | "foreignVersion">,
  read: (id: number) => Person | undefined,
) => {
  const people = lruCache<number, Person>({ maxEntries: MAX_CACHED_PEOPLE });
  let cachedVersion = 0;
  return {
    async find(id: number): Promise<Person | undefined> {
      await fresh();
      const version = foreignVersion();
      if (version !== cachedVersion) people.clear();
      cachedVersion = version;
      const person = people.get(id) ?? read(id);
      if (person) people.set(id, person);
      return person;
    },
    clear: people.clear,
  };
};

/** What the parts of the repository share. */
export const openPeople = ({ client, orm, commit, fresh, foreignVersion }: Database) => {
  const queries = personQueries(orm);
  const statements = { ...personStatements(orm), ...passkeyStatements(orm), ...identityStatements(orm) };
  const read = (id: number): Person | undefined => {
    const row = queries.findQuery.get({ id });
    return row && toPerson(row);
  };
  const cache = personCache({ fresh, foreignVersion }, read);
  /** Commits, then forgets what is cached. */
  const change: Commit = async (writes, last) => {
    try {
      return await commit(writes, last);
    } finally {
      cache.clear();
    }
  };
  const recordEntry = auditing({ client });
  const endOperatorSessions = operatorSessionEnds({ client, orm });
  /** Records a change. If it lets the first administrator sign in, the sessions of sign-in links end. */
  const record: Audit = (act, entry) =>
    entry ? [...recordEntry(act, entry), ...endOperatorSessions(act)] : [];
  /** Records what a person did to their own ways to sign in. */
  const recordOwn = (action: Action, id: number | undefined, now: number) => {
    const person = id === undefined ? undefined : read(id);
    if (!person) return [];
    const { name } = person;
    const actor = { kind: "person", id: person.id, name } as const;
    return record({ actor, now }, { action, id: person.id, label: name });
  };
  return { queries, statements, read, cache, change, record, recordOwn, commit, fresh };
};

export type Shared = ReturnType<typeof openPeople>;
