import type { Context } from "../../data/context.ts";
import { Fault, fieldFault } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import { type PageQuery, pageAfter } from "../../lib/pagination.ts";
import {
  type Category,
  type CategoryChange,
  categoryRepository,
  type Refusal,
  type StoreResponse,
} from "./repository.ts";

/** A cursor is valid for this list only. */
const CURSOR_SCOPE = "categories";

const notFound = () => new Fault("not_found", "There is no category with this id.");

const nameTaken = () => fieldFault("category_name_taken", { field: "name", rule: "taken" });

const faultOf = (refused: Refusal): Fault => {
  if (refused === "not_found") return notFound();
  return refused === "category_name_taken" ? nameTaken() : new Fault(refused);
};

export const openCategories = ({ database, clock }: Context) => {
  const categories = categoryRepository(database);
  return {
    /** @throws Fault invalid_cursor */
    list: (page: PageQuery) => pageAfter(page, CURSOR_SCOPE, categories.list),
    /** @param keep stores the response in the same transaction. @throws Fault category_name_taken */
    async add(name: string, actor: Actor, keep?: StoreResponse<Category>): Promise<Category> {
      const category = await categories.add(name, { actor, now: clock.now() }, keep);
      if (!category) throw nameTaken();
      return category;
    },
    /** @throws Fault not_found */
    async get(id: number): Promise<Category> {
      const category = await categories.find(id);
      if (!category) throw notFound();
      return category;
    },
    /** Changes the category if it still is `expected`. @throws Fault not_found, precondition_failed, category_name_taken */
    async change(id: number, change: CategoryChange, actor: Actor, expected?: Category): Promise<Category> {
      const changed = await categories.change(id, change, { actor, now: clock.now() }, expected);
      if ("refused" in changed) throw faultOf(changed.refused);
      return changed;
    },
    /** Deletes the category if it still is `expected`. @throws Fault not_found, precondition_failed, category_in_use */
    async remove(id: number, actor: Actor, expected?: Category): Promise<void> {
      const refused = await categories.remove(id, { actor, now: clock.now() }, expected);
      if (refused) throw faultOf(refused);
    },
  };
};

export type CategoryService = ReturnType<typeof openCategories>;
