import { hasCode, store } from "../api/client.ts";
import { animalsPath } from "../animals/addresses.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { useAction } from "../parts/use-action.ts";
import { categoriesPath } from "./addresses.ts";
import type { Category } from "./category.ts";
import { OneCategory } from "./one.tsx";
import { CATEGORIES, useCounts } from "./queries.ts";
import { WORDS } from "./words.ts";

const DeleteForm = ({ category: { id, name } }: { category: Category }) => {
  const { run, error, isPending } = useAction({
    act: () => store.DELETE("/categories/{categoryId}", { params: { path: { categoryId: id } } }),
    changes: [CATEGORIES],
    at: categoriesPath(),
    says: () => WORDS.deleted(name),
  });
  const count = useCounts().data?.get(id) ?? 0;
  return (
    <>
      {error && <Problem error={error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {count > 0 ? WORDS.inUse(count) : WORDS.consequence}
      </p>
      {(count > 0 || hasCode(error, "category_in_use")) && (
        <p>
          <a href={animalsPath({ category: String(id) })}>{WORDS.showAnimals}</a>
        </p>
      )}
      <DialogButtons
        back={categoriesPath()}
        label={WORDS.deleteButton}
        isBusy={isPending}
        isDangerous
        isEnabled={count === 0}
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
