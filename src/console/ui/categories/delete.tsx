import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { hasCode, store } from "../api/client.ts";
import { animalsPath } from "../animals/addresses.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Problem } from "../parts/feedback.tsx";
import { categoriesPath } from "./addresses.ts";
import type { Category } from "./category.ts";
import { OneCategory } from "./one.tsx";
import { CATEGORIES } from "./queries.ts";

const DeleteForm = ({ category: { id, name } }: { category: Category }) => {
  const queries = useQueryClient();
  const done = useFinish();
  const deleting = useMutation({
    mutationFn: () => store.DELETE("/categories/{categoryId}", { params: { path: { categoryId: id } } }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: CATEGORIES }),
  });
  return (
    <>
      {deleting.error && <Problem error={deleting.error} />}
      {hasCode(deleting.error, "category_in_use") && (
        <p>
          <a href={animalsPath({ category: String(id) })}>Show its animals</a>
        </p>
      )}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        is gone for good, and its number {id} is never given out again. Only a category that no animal belongs
        to can be deleted.
      </p>
      <DialogButtons
        back={categoriesPath()}
        label="Delete"
        isBusy={deleting.isPending}
        isDangerous
        onConfirm={() =>
          deleting.mutate(undefined, { onSuccess: () => done(categoriesPath(), `“${name}” was deleted.`) })
        }
      />
    </>
  );
};

/** The dialog that deletes a category. */
export const DeleteCategory = ({ id }: { id: number }) => (
  <OneCategory id={id} title="Delete category">
    {(category) => <DeleteForm category={category} />}
  </OneCategory>
);
