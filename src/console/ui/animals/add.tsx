import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { dataOf, store } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useDone } from "../parts/done.ts";
import { AnimalForm } from "./form.tsx";
import { addedWords, type Animal, type NewAnimal } from "./statistics.ts";

/** The dialog that adds an animal; `onAdded` is told which, with its id. */
export const AddAnimal = ({ back, onAdded }: { back: string; onAdded: (animal: Animal) => void }) => {
  const queries = useQueryClient();
  const done = useDone();
  const adding = useMutation({
    mutationFn: (body: NewAnimal) => dataOf(store.POST("/pets", { body })),
    onSuccess(animal) {
      onAdded(animal);
      // Not waited for: the animal is shown as it is.
      void queries.invalidateQueries({ queryKey: ["animals"] });
    },
  });
  return (
    <Dialog title="Add animal" back={back}>
      <AnimalForm
        submitWord="Add"
        back={back}
        error={adding.error}
        isBusy={adding.isPending}
        submit={(animal) => adding.mutate(animal, { onSuccess: (added) => done(back, addedWords(added)) })}
      />
    </Dialog>
  );
};
