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

/** The dialog that adds an animal; `onAdded` is told which, with its id. */
export const AddAnimal = ({
  category = "",
  back,
  onAdded,
}: {
  /** The number of the one that it belongs to, at first. */
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
    // Given what to add: an Enter may come before the page has drawn what was typed.
    mutationFn: (body: NewAnimal) => dataOf(store.POST("/pets", { params: { header }, body })),
    onSuccess: onAdded,
    // Not waited for: the animal is shown as it is.
    onSettled: () => void queries.invalidateQueries({ queryKey: ANIMALS }),
  });
  return (
    <Dialog title="Add animal" back={back}>
      <AnimalForm
        draft={draft}
        change={(change) => setDraft((before) => ({ ...before, ...change }))}
        categories={isLoading ? undefined : categories}
        submitWord="Add"
        back={back}
        error={adding.error}
        isBusy={adding.isPending}
        submit={() =>
          adding.mutate(newAnimalOf(draft), { onSuccess: (added) => done(back, addedMessage(added)) })
        }
      />
    </Dialog>
  );
};
