import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, store } from "../api/client.ts";
import { useCategories } from "../categories/queries.ts";
import { useIdempotencyKey } from "../parts/use-idempotency-key.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useFinish } from "../parts/finish.ts";
import { type Draft, EMPTY, newAnimalOf } from "./draft.ts";
import { AnimalForm } from "./form.tsx";
import { ANIMALS } from "./queries.ts";
import { addedMessage, type Animal, type NewAnimal } from "./statistics.ts";

/** The dialog that adds an animal. */
export const AddAnimal = ({
  category = "",
  back,
  onAdded,
}: {
  /** The id of the category to begin with. */
  category?: string | undefined;
  back: string;
  onAdded: (animal: Animal) => void;
}) => {
  const queries = useQueryClient();
  const done = useFinish();
  const header = useIdempotencyKey();
  const { categories, isLoading } = useCategories();
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, category });
  const adding = useMutation({
    // The body is passed in: Enter may come before the last change is rendered.
    mutationFn: (body: NewAnimal) => dataOf(store.POST("/pets", { params: { header }, body })),
    onSuccess: onAdded,
    // Not awaited: the list shows the added animal already.
    onSettled: () => void queries.invalidateQueries({ queryKey: ANIMALS }),
  });
  return (
    <Dialog title="Add animal" back={back}>
      <AnimalForm
        draft={draft}
        onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        categories={isLoading ? undefined : categories}
        submitLabel="Add"
        back={back}
        error={adding.error}
        isBusy={adding.isPending}
        onSubmit={() =>
          adding.mutate(newAnimalOf(draft), { onSuccess: (added) => done(back, addedMessage(added)) })
        }
      />
    </Dialog>
  );
};
