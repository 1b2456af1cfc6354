import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { dataOf, store } from "../api/client.ts";
import { useFinish } from "../parts/finish.ts";
import { categoriesPath } from "./addresses.ts";
import type { Category } from "./category.ts";
import { NameForm } from "./name-form.tsx";
import { OneCategory } from "./one.tsx";
import { CATEGORIES } from "./queries.ts";

const RenameForm = ({ category: { id, name } }: { category: Category }) => {
  const queries = useQueryClient();
  const done = useFinish();
  const renaming = useMutation({
    mutationFn: (name: string) =>
      dataOf(
        store.PATCH("/categories/{categoryId}", { params: { path: { categoryId: id } }, body: { name } }),
      ),
    onSettled: () => void queries.invalidateQueries({ queryKey: CATEGORIES }),
  });
  return (
    <NameForm
      given={name}
      submitLabel="Rename"
      error={renaming.error}
      isBusy={renaming.isPending}
      submit={(wanted) =>
        renaming.mutate(wanted, {
          onSuccess: (renamed) => done(categoriesPath(), `“${name}” is now called “${renamed.name}”.`),
        })
      }
    />
  );
};

/** The dialog that renames a category. */
export const RenameCategory = ({ id }: { id: number }) => (
  <OneCategory id={id} title="Rename category">
    {(category) => <RenameForm category={category} />}
  </OneCategory>
);
