import { Fault } from "../lib/errors.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import type { Categories, Category, CategoryChange, Keep, Refusal } from "./repository.ts";

export type { Category } from "./repository.ts";

export interface CategoryService {
  /** @throws Fault invalid_cursor */
  list(query: { limit: number; cursor: string | undefined }): Promise<Page<Category>>;
  /** @param keep of the same commit. @throws Fault category_name_taken */
  add(name: string, keep?: Keep<Category>): Promise<Category>;
  /** @throws Fault not_found */
  get(id: number): Promise<Category>;
  /** @param expected as the category must still be. @throws Fault not_found, precondition_failed, category_name_taken */
  change(id: number, change: CategoryChange, expected?: Category): Promise<Category>;
  /** @param expected as the category must still be. @throws Fault not_found, precondition_failed, category_in_use */
  remove(id: number, expected?: Category): Promise<void>;
}

/** What a cursor of the list of categories is bound to. */
const LIST = "categories";

const notFound = () => new Fault("not_found", "There is no category with this id.");

const faultOf = (refused: Refusal): Fault => (refused === "not_found" ? notFound() : new Fault(refused));

export const categoryService = ({ categories }: { categories: Categories }): CategoryService => ({
  async list({ limit, cursor }) {
    const after = cursor === undefined ? 0 : readCursor(cursor, LIST);
    return cutPage(await categories.list({ after, limit: limit + 1 }), limit, LIST);
  },
  async add(name, keep) {
    const category = await categories.add(name, keep);
    if (!category) throw new Fault("category_name_taken");
    return category;
  },
  async get(id) {
    const category = await categories.find(id);
    if (!category) throw notFound();
    return category;
  },
  async change(id, change, expected) {
    const changed = await categories.change(id, change, expected);
    if ("refused" in changed) throw faultOf(changed.refused);
    return changed;
  },
  async remove(id, expected) {
    const refused = await categories.remove(id, expected);
    if (refused) throw faultOf(refused);
  },
});
