import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { dataOf, store } from "../api/client.ts";
import { useIdempotencyKey } from "../parts/use-idempotency-key.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useFinish } from "../parts/finish.ts";
import { categoriesPath } from "./addresses.ts";
import { NameForm } from "./name-form.tsx";
import { CATEGORIES } from "./queries.ts";

/** The dialog that adds a category. */
export const NewCategory = () => {
  const queries = useQueryClient();
  const done = useFinish();
  const header = useIdempotencyKey();
  const adding = useMutation({
    mutationFn: (name: string) => dataOf(store.POST("/categories", { params: { header }, body: { name } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: CATEGORIES }),
  });
  return (
    <Dialog title="Add category" back={categoriesPath()}>
      <NameForm
        submitLabel="Add"
        error={adding.error}
        isBusy={adding.isPending}
        submit={(name) =>
          adding.mutate(name, {
            onSuccess: ({ id, name }) => done(categoriesPath(), `“${name}” was added. Its id is ${id}.`),
          })
        }
      />
    </Dialog>
  );
};
