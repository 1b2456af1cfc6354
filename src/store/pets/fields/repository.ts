import { sql } from "drizzle-orm";
import { changesBetween, record } from "../../../data/db/audit.ts";
import { commitDecided } from "../../../data/db/commit.ts";
import { type StoreResponse, storing } from "../../../data/db/kept-responses.ts";
import type { Database } from "../../../data/db/open.ts";
import { petFields } from "../../../data/db/schema/profiles.ts";
import {
  columnsBut,
  type Connection,
  insertRow,
  statement,
  update,
  value,
  valuesFor,
} from "../../../data/db/statement.ts";
import type { Act } from "../../../lib/actor.ts";
import type { Field } from "./field.ts";
import { countHolders, findHolders, staleValues, type ValueHolders } from "./value-queries.ts";

export type { StoreResponse } from "../../../data/db/kept-responses.ts";

type Row = Omit<typeof petFields.$inferSelect, "revision">;

const toField = ({ choices, ...row }: Row): Field => ({
  ...row,
  ...(choices !== null && { choices: JSON.parse(choices) as string[] }),
});

const COLUMNS = columnsBut(petFields, "revision");
const WRITABLE = valuesFor("name", "label", "choices", "isPublic", "position");

const LIST = statement(
  sql`SELECT ${COLUMNS} FROM ${petFields} ORDER BY ${petFields.position}, ${petFields.id}`,
).as(toField);

const INSERT = statement(
  sql`${insertRow(petFields, { ...WRITABLE, kind: value("kind") })} RETURNING ${COLUMNS}`,
).as(toField);

const UPDATE = statement(sql`${update(petFields, WRITABLE)} WHERE ${petFields.id} = ${value("id")}`);

const DELETE = statement(sql`DELETE FROM ${petFields} WHERE ${petFields.id} = ${value("id")}`);

const toColumns = ({ choices, isPublic, ...field }: Omit<Field, "id">) => ({
  ...field,
  isPublic: Number(isPublic),
  choices: choices ? JSON.stringify(choices) : null,
});

/** The field as the audit log has it: by the names of the API. */
const auditedOf = ({ choices, isPublic, ...field }: Field) => ({
  ...field,
  choices: choices?.join(", ") ?? null,
  public: String(isPublic),
});
const AUDITED = ["name", "label", "choices", "public", "position"] as const;

/** All fields, in their order. */
export const fieldsOf = (connection: Connection): Field[] => LIST.all(connection);

/** The fields in a transaction. */
export interface FieldState {
  fields: readonly Field[];
  /**
   * Counts the animals that have a value of the field other than these.
   * @param holders those that had one before the transaction. Without them, it reads all profiles.
   */
  countValues(id: number, others?: readonly string[], holders?: ValueHolders): number;
}

const stateOf = (connection: Connection): FieldState => ({
  fields: fieldsOf(connection),
  countValues: (id, others, holders) => countHolders(connection, id, others, holders),
});

/** Each write asks a function, inside its transaction, for its values. If the function throws, nothing is written. */
export const fieldRepository = (database: Database) => ({
  list: (): Field[] => fieldsOf(database.client),
  findHolders: (id: number, others?: readonly string[]) => findHolders(database, id, others),
  sweepValues: staleValues(database, () => fieldsOf(database.client).map(({ id }) => id)),
  add: (
    make: (state: FieldState) => Omit<Field, "id">,
    act: Act,
    keep?: StoreResponse<Field>,
  ): Promise<Field> =>
    commitDecided(database.commit, (connection) => {
      const added = INSERT.get(connection, toColumns(make(stateOf(connection)))) as Field;
      const { id, label } = added;
      return [added, ...record(act, { action: "field.added", id, label }), ...storing(keep, added)];
    }),
  change: (make: (state: FieldState) => { before: Field; after: Field }, act: Act): Promise<Field> =>
    commitDecided(database.commit, (connection) => {
      const { before, after } = make(stateOf(connection));
      const { id, label } = after;
      const changes = changesBetween(auditedOf(before), auditedOf(after), AUDITED);
      if (changes.length === 0) return [after];
      const entry = { action: "field.changed", id, label, changes } as const;
      return [after, UPDATE.with({ id, ...toColumns(after) }), ...record(act, entry)];
    }),
  /** Deletes the field. Its values are invisible from then on, and `sweepValues` removes them. */
  remove: (choose: (state: FieldState) => Field, act: Act): Promise<void> =>
    commitDecided(database.commit, (connection) => {
      const { id, label } = choose(stateOf(connection));
      return [undefined, DELETE.with({ id }), ...record(act, { action: "field.deleted", id, label })];
    }),
});
