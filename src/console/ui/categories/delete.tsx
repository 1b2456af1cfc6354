import { hasCode, store } from "../api/client.ts";
import { animalsPath } from "../animals/addresses.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { useAction } from "../parts/use-action.ts";
import { categoriesPath } from "./addresses.ts";
import type { Category } from "./category.ts";
import { OneCategory } from "./one.tsx";
import { CATEGORIES } from "./queries.ts";
import { WORDS } from "./words.ts";

const DeleteForm = ({ category: { id, name } }: { category: Category }) => {
  const { run, error, isPending } = useAction({
    act: () => store.DELETE("/categories/{categoryId}", { params: { path: { categoryId: id } } }),
    changes: [CATEGORIES],
    at: categoriesPath(),
    says: () => WORDS.deleted(name),
  });
  return (
    <>
      {error && <Problem error={error} />}
      {hasCode(error, "category_in_use") && (
        <p>
          <a href={animalsPath({ category: String(id) })}>Show its animals</a>
        </p>
      )}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {WORDS.consequence}
      </p>
      <DialogButtons
        back={categoriesPath()}
        label="Delete"
        isBusy={isPending}
        isDangerous
        onConfirm={() => run()}
      />
    </>
  );
};

/** The dialog that deletes a category. */
export const DeleteCategory = ({ id }: { id: number }) => (
  <OneCategory id={id} title={WORDS.remove}>
    {(category) => <DeleteForm category={category} />}
  </OneCategory>
);
