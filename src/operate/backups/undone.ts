import type { Commit } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { hasTable } from "../../data/db/schema-check.ts";
import { type Client, openCopy, openExisting } from "../../data/db/snapshot.ts";
import { storeIdOf } from "../../data/db/store-id.ts";
import { fileSize } from "../../lib/files.ts";
import { reasonOf } from "../../lib/reason.ts";

interface Named {
  id: number;
  name: string;
}

/** Decisions since the backup that the restored database does not contain. */
interface UndoneChanges {
  /** Keys that were revoked, or whose old secret had ended. They work again. */
  keys: Named[];
  /** People who were removed. They can sign in again. */
  people: Named[];
  /** How many adopters were erased. The restore erases them again, with these orders, and cancels those that are open. */
  adopters: number;
  orders: number;
  cancelled: number[];
  /** Orders whose adopters the restore could not erase. */
  unerased: number[];
}

/** Erases an adopter from a database: `orders forget`. */
export type ForgetAdopter = (
  database: Pick<Database, "client" | "commit">,
  email: string,
) => Promise<{ open: { id: number }[]; orders: number }>;

/**
 * The rows that are valid in the restored database, and whether the replaced one has ended the same row. An id alone does not
 * identify a row: after a restore, ids are given again. The SQL is plain, because either database may be of an older version.
 */
const KINDS = {
  keys: {
    valid: `SELECT keys.id, name, keys.created_at AS createdAt, hash AS mark FROM keys JOIN secrets ON key_id = keys.id
      WHERE revoked_at IS NULL AND secrets.expires_at IS NULL`,
    ended: `SELECT 1 FROM keys WHERE id = ? AND created_at = ? AND (revoked_at IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM secrets WHERE hash = ? AND secrets.expires_at IS NULL))`,
  },
  people: {
    valid: "SELECT id, name, created_at AS createdAt, handle AS mark FROM people WHERE removed_at IS NULL",
    ended: "SELECT 1 FROM people WHERE id = ? AND created_at = ? AND handle = ? AND removed_at IS NOT NULL",
  },
  orders: {
    valid: `SELECT id, adopter_email AS name, created_at AS createdAt, pet_id AS mark FROM orders
      WHERE adopter_email IS NOT NULL`,
    ended: "SELECT 1 FROM orders WHERE id = ? AND created_at = ? AND pet_id = ? AND adopter_email IS NULL",
  },
} as const;

type Kind = keyof typeof KINDS;
type Row = Named & { createdAt: number; mark: string | number };

/** Empty if a version of either database has no such rows. */
const undoneRows = (before: Client, restored: Client, kind: Kind): Named[] => {
  if (!hasTable(before, kind) || !hasTable(restored, kind)) return [];
  const ended = before.query<object, [number, number, string | number]>(KINDS[kind].ended);
  const valid = restored.query<Row, []>(KINDS[kind].valid).all();
  return valid.flatMap(({ id, name, createdAt, mark }) =>
    ended.get(id, createdAt, mark) ? [{ id, name }] : [],
  );
};

/** Writes to a copy that no other process uses, in one transaction. */
const commitTo = (copy: Client): Commit =>
  (async (statements, last) => {
    const run = ({ query, values }: (typeof statements)[number]) => query.all(copy, values);
    copy.run("BEGIN");
    const rows = statements.map(run);
    last?.(rows as Parameters<typeof last>[0], copy).forEach(run);
    copy.run("COMMIT");
    return rows;
  }) as Commit;

/**
 * Finds the decisions in the replaced database that a restored copy undoes, and repeats the erasures in the copy.
 * @returns the reason if the replaced database cannot tell
 */
export const repeatErasures = async (
  path: string,
  copyPath: string,
  forget: ForgetAdopter,
): Promise<UndoneChanges | string> => {
  if (fileSize(path) === 0) return "there is no previous database";
  using copy = openCopy(copyPath);
  let found: Record<Kind, Named[]>;
  try {
    using before = openExisting(path);
    if (storeIdOf(before) !== storeIdOf(copy)) return "the previous database is another store";
    const undone = (kind: Kind) => undoneRows(before, copy, kind);
    found = { keys: undone("keys"), people: undone("people"), orders: undone("orders") };
  } catch (error) {
    return `the previous database cannot be read (${reasonOf(error)})`;
  }
  const { keys, people } = found;
  const result: UndoneChanges = { keys, people, adopters: 0, orders: 0, cancelled: [], unerased: [] };
  for (const [email, rows] of Map.groupBy(found.orders, ({ name }) => name)) {
    try {
      const { open, orders } = await forget({ client: copy, commit: commitTo(copy) }, email);
      // The same address in another spelling was erased before.
      if (orders === 0) continue;
      result.adopters++;
      result.orders += orders;
      result.cancelled.push(...open.map(({ id }) => id));
    } catch {
      // The backup has the tables of an older version.
      if (copy.inTransaction) copy.run("ROLLBACK");
      result.unerased.push(...rows.map(({ id }) => id));
    }
  }
  return result;
};
