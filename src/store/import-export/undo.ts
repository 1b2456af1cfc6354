import { quantity } from "../../lib/quantity.ts";
import { OPERATOR } from "../../lib/actor.ts";
import { DAY_MS, formatTime } from "../../lib/time.ts";
import type { Import, ImportRepository } from "./repository.ts";
import { type Undone, type undoRepository, UndoRefused } from "./undo-repository.ts";

const UNDO_DAYS = 30;
/** How long an import can be undone: older changes are removed. */
export const UNDO_MS = UNDO_DAYS * DAY_MS;

/**
 * Undoes an import, or the last one: deletes its new animals and restores the others. All animals are checked before the first
 * is written. An undo that was interrupted continues when it is called again.
 * @throws UndoRefused if an animal was changed since the import; ConcurrentImport while it is running
 */
export const undoImport = async (
  id: number | undefined,
  {
    undo,
    imports,
    now,
  }: { undo: ReturnType<typeof undoRepository>; imports: Pick<ImportRepository, "hold">; now(): number },
): Promise<Undone & Pick<Import, "id" | "file">> => {
  const found = undo.find(id);
  if (!found)
    throw new UndoRefused(
      id === undefined
        ? "no file was imported: there is nothing to undo"
        : `there is no import ${id}: leave out the id to undo the last one`,
    );
  using _ = imports.hold(found.id);
  const name = `import ${found.id} of ${found.file}`;
  if (found.undoneAt !== null)
    throw new UndoRefused(
      `${name} was undone on ${formatTime(found.undoneAt)}: name an earlier one with import --undo ID`,
    );
  const changed = found.added + found.updated;
  if (changed > 0 && !undo.hasChanges(found.id))
    throw new UndoRefused(
      `${name} changed ${quantity(changed, "animal")} that are no longer known: an import can be undone for ${UNDO_DAYS} days`,
    );
  undo.check(found.id);
  const undone: Undone = { deleted: 0, restored: 0, readded: [] };
  for (let isLast = false; !isLast;) {
    const next = await undo.undoNext(found, { actor: OPERATOR, now: now() });
    undone.deleted += next.deleted;
    undone.restored += next.restored;
    undone.readded.push(...next.readded);
    ({ isLast } = next);
  }
  return { id: found.id, file: found.file, ...undone };
};
