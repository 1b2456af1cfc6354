import { join } from "node:path";
import type { Context } from "../../data/context.ts";
import type { Actor } from "../../lib/actor.ts";
import { Fault } from "../../lib/errors.ts";
import type { FieldService } from "../pets/fields/service.ts";
import { type CategoryAccess, type CategoryNames, categoryNames } from "./category-names.ts";
import { columnsOf, type KeyField, type Mapping } from "./columns.ts";
import { type Dependencies, importFile, type ImportOptions, type ImportResult } from "./import.ts";
import { presentPets } from "./present-queries.ts";
import { categoryLookup, importRepository, listImports, storedCategories } from "./repository.ts";
import { type UndoOptions, undoRepository } from "./undo-repository.ts";

export interface ImportRequest extends Omit<ImportOptions, "columns"> {
  map: readonly Mapping[];
  /** The field that finds the animals of an update. */
  key: KeyField | undefined;
  createsCategories: boolean;
  /** All rows are checked, and nothing is written. */
  isDry: boolean;
}

/** The other rooms that an import writes to. */
interface Rooms {
  categories: { add(name: string, actor: Actor): Promise<{ id: number; name: string }> };
  fields: Pick<FieldService, "list" | "add">;
  /** Why no category can have a name; undefined if one can. */
  problemOfName(name: string): string | undefined;
}

type Run = Pick<Dependencies, "reporter" | "isStopped" | "keep" | "sharesThread" | "maxPreview"> & {
  actor: Actor;
};

/** Counts new categories with ids that no category has. */
const pretendToCreate = (names: CategoryNames) => {
  let id = 0n;
  return async (name: string): Promise<void> => names.add({ id: --id, name });
};

/** Imports files into a store, and undoes imports. */
export const openImports = (context: Context, { categories, fields, problemOfName }: Rooms) => {
  const { config, database, clock } = context;
  const { now } = clock;
  const undoing = undoRepository(database);
  const repositoryFor = (actor: Actor) =>
    importRepository(database, {
      actor,
      now,
      strictCategories: config.strictCategories,
      lockPath: (id) => join(config.dataDir, `import-${id}.lock`),
    });

  const createFor =
    (names: CategoryNames, actor: Actor) =>
    async (name: string): Promise<void> => {
      try {
        const added = await categories.add(name, actor);
        names.add({ id: BigInt(added.id), name: added.name });
      } catch (error) {
        if (!(error instanceof Fault && error.code === "category_name_taken")) throw error;
        // Another client has just added it.
        names.reload();
      }
    };

  const categoryAccess = ({ createsCategories, isDry }: ImportRequest, actor: Actor): CategoryAccess => {
    const names = categoryNames(() => storedCategories(database));
    const create = isDry ? pretendToCreate(names) : createFor(names, actor);
    return {
      names,
      problemOf: problemOfName,
      create: createsCategories ? create : undefined,
      hasCategory: config.strictCategories ? categoryLookup(database) : undefined,
    };
  };

  return {
    /** @throws FileRefused, ConcurrentImport, CategoryGone, StoreChanged */
    importFile(request: ImportRequest, { actor, ...run }: Run): Promise<ImportResult> {
      const repository = repositoryFor(actor);
      const columns = columnsOf(request.map, fields.list(), request.key);
      return importFile(
        { ...request, columns },
        {
          ...run,
          now,
          imports: request.isDry ? undefined : repository,
          earlierImports: repository.all,
          categories: categoryAccess(request, actor),
          present: presentPets(database),
          addField: async ({ name, label, kind }) => void (await fields.add({ name, label, kind }, actor)),
        },
      );
    },
    /** Undoes an import, or the last one. @throws UndoRefused, ConcurrentImport */
    undo: (id: number | undefined, options: Omit<UndoOptions, "now">) =>
      undoing.undo(id, repositoryFor(options.actor).hold, { ...options, now }),
    /** The last imports, the newest first. */
    recent: (limit: number) => listImports(database, { from: 1, to: Number.MAX_SAFE_INTEGER, limit }),
    find: (id: number) => listImports(database, { from: id, to: id, limit: 1 })[0],
  };
};

export type Imports = ReturnType<typeof openImports>;
