import { useState } from "preact/hooks";
import { useCategories } from "../categories/queries.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useAction } from "../parts/use-action.ts";
import { useIdempotencyKey } from "../parts/use-idempotency-key.ts";
import { useAnimalActions } from "./actions.ts";
import { type View, animalPath, animalsPath } from "./addresses.ts";
import { type Draft, EMPTY, isSameDraft, newAnimalOf } from "./draft.ts";
import { AnimalForm } from "./form.tsx";
import type { Animal, NewAnimal } from "./statistics.ts";
import { WORDS } from "./words.ts";

/** The dialog that adds an animal. It begins with the category that is shown. */
export const AddAnimal = ({ view, onAdded }: { view: View; onAdded: (animal: Animal) => void }) => {
  const back = animalsPath(view);
  const header = useIdempotencyKey();
  const { add } = useAnimalActions();
  const { categories, isLoading } = useCategories();
  const first: Draft = { ...EMPTY, category: view.category ?? "" };
  const [draft, setDraft] = useState(first);
  const adding = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: NewAnimal) => add(body, header),
    onDone: onAdded,
    at: back,
    says: (animal) => ({
      words: WORDS.addedMessage(animal),
      link: { href: animalPath(animal.id, view), label: WORDS.viewAnimal },
    }),
  });
  return (
    <Dialog title={WORDS.add} back={back} isDirty={!isSameDraft(draft, first)}>
      <AnimalForm
        draft={draft}
        onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        categories={isLoading ? undefined : categories}
        submitLabel={WORDS.addButton}
        back={back}
        error={adding.error}
        isBusy={adding.isPending}
        onSubmit={() => adding.run(newAnimalOf(draft))}
      />
    </Dialog>
  );
};
