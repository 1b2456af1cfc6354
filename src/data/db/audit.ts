import type { Action } from "./actions.ts";
import { resourceOf } from "./actions.ts";
import type { Act } from "../../lib/actor.ts";
import type { Statement } from "./commit.ts";
import { auditEntries } from "./schema/audit.ts";
import { insertRow, statement, valuesFor } from "./statement.ts";

type Text = string | number | bigint | null;

/** A changed field. Null: it had, or has, no value. */
export type Change = readonly [field: string, from: string | null, to: string | null];

/** The audit entry of an act. It never contains a secret or an adopter's personal data. */
export interface AuditEntry {
  action: Action;
  /** As in the path of the resource: an id, a slug or a host name. */
  id: string | number;
  /** The animal of an order, or the project of a deploy or domain. */
  parent?: string | number;
  label?: string | null;
  /** An act that could have changed fields, and changed none, is not recorded. */
  changes?: readonly Change[];
}

const textOf = (value: Text | undefined): string | null =>
  value === undefined || value === null ? null : String(value);

/** The fields of `after` that differ from `before`. Fields that `after` lacks were not changed. */
export const changesBetween = <Fields extends string>(
  before: Readonly<Partial<Record<Fields, Text>>>,
  after: Readonly<Partial<Record<Fields, Text>>>,
  fields: readonly Fields[],
): Change[] =>
  fields.flatMap((field) => {
    const [from, to] = [textOf(before[field]), textOf(after[field])];
    return from === to ? [] : [[field, from, to] as const];
  });

const INSERT = statement(
  insertRow(
    auditEntries,
    valuesFor(
      "at",
      "actor",
      "actorId",
      "actorName",
      "action",
      "resource",
      "resourceId",
      "parentId",
      "label",
      "changes",
    ),
  ),
);

/**
 * The statements that record an act: one for an entry, none for undefined. A repository returns them from the second argument
 * of `commit`, so that an entry is stored in the transaction of its write, if and only if that wrote.
 */
export const record = ({ actor, now }: Act, entry: AuditEntry | undefined): readonly Statement[] => {
  if (!entry || entry.changes?.length === 0) return [];
  const { action, id, parent, label = null, changes } = entry;
  const [actorId, actorName] = "id" in actor ? [actor.id, actor.name] : [null, null];
  const values = {
    at: now,
    actor: actor.kind,
    actorId,
    actorName,
    action,
    resource: resourceOf(action),
    resourceId: String(id),
    parentId: textOf(parent),
    label,
    changes: changes ? JSON.stringify(changes) : null,
  };
  return [INSERT.with(values)];
};
