import { dataOf, store } from "../api/client.ts";
import { useAction } from "../parts/use-action.ts";
import { categoriesPath } from "./addresses.ts";
import type { Category } from "./category.ts";
import { NameForm } from "./name-form.tsx";
import { OneCategory } from "./one.tsx";
import { CATEGORIES } from "./queries.ts";
import { WORDS } from "./words.ts";

const RenameForm = ({ category: { id, name: before } }: { category: Category }) => {
  const send = (name: string) =>
    dataOf(store.PATCH("/categories/{categoryId}", { params: { path: { categoryId: id } }, body: { name } }));
  const rename = useAction({
    act: send,
    isUnchanged: (name) => name === before,
    changes: [CATEGORIES],
    at: categoriesPath(),
    says: ({ name }) => WORDS.renamed(before, name),
    undo: () => send(before),
  });
  return <NameForm given={before} submitLabel={WORDS.renameButton} action={rename} />;
};

/** The dialog that renames a category. */
export const RenameCategory = ({ id }: { id: number }) => (
  <OneCategory id={id} title={WORDS.rename}>
    {(category) => <RenameForm category={category} />}
  </OneCategory>
);
