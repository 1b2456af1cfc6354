import { dataOf, store } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useAction } from "../parts/use-action.ts";
import { useIdempotencyKey } from "../parts/use-idempotency-key.ts";
import { categoriesPath } from "./addresses.ts";
import { NameForm } from "./name-form.tsx";
import { CATEGORIES } from "./queries.ts";
import { WORDS } from "./words.ts";

/** The dialog that adds a category. */
export const NewCategory = () => {
  const header = useIdempotencyKey();
  const add = useAction({
    act: (name: string) => dataOf(store.POST("/categories", { params: { header }, body: { name } })),
    changes: [CATEGORIES],
    at: categoriesPath(),
    says: ({ name }) => WORDS.added(name),
  });
  return (
    <Dialog title={WORDS.add} back={categoriesPath()}>
      <NameForm submitLabel={WORDS.addButton} action={add} />
    </Dialog>
  );
};
