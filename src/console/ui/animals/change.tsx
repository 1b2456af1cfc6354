import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, hasCode, store } from "../api/client.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useFinish } from "../parts/finish.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { type Draft, conflictingFields, draftOf, rebaseDraft, newAnimalOf } from "./draft.ts";
import { AnimalForm } from "./form.tsx";
import { Outdated } from "./outdated.tsx";
import { changeOf } from "./patch.ts";
import { ANIMALS, type AnimalVersion, fetchVersion, useAnimalVersion } from "./queries.ts";
import { changedMessage, type Animal } from "./statistics.ts";

/** Hints for the fields that somebody else has changed too. */
const hintsOf = (theirs: Partial<Draft>, categories: readonly Category[]): Partial<Draft> => {
  const { name, category, status } = theirs;
  const belongs = category && (categoryOf(categories, category)?.name ?? category);
  return {
    ...(name !== undefined && { name: `Somebody else changed it to “${name}”.` }),
    ...(belongs !== undefined && { category: `Somebody else chose “${belongs}”.` }),
    ...(status !== undefined && { status: `Somebody else chose ${status || "none"}.` }),
  };
};

/** Sends only the changed fields, and only if nobody else has changed the animal since it was read. */
const ChangeForm = ({
  seen: seenFirst,
  back,
  onChanged,
}: {
  seen: AnimalVersion;
  back: string;
  onChanged: (animal: Animal) => void;
}) => {
  const queries = useQueryClient();
  const done = useFinish();
  const { categories } = useCategories();
  const [seen, setSeen] = useState(seenFirst);
  const [draft, setDraft] = useState(draftOf(seenFirst.animal));
  const [theirs, setTheirs] = useState<Partial<Draft>>();
  const { id } = seen.animal;
  const changing = useMutation({
    mutationFn: ({ seen: { animal, tag }, draft }: { seen: AnimalVersion; draft: Draft }) =>
      dataOf(
        store.PATCH("/pets/{petId}", {
          params: { path: { petId: id }, header: { "If-Match": tag } },
          body: changeOf(animal, newAnimalOf(draft)),
        }),
      ),
    onSuccess: onChanged,
    onSettled: () => void queries.invalidateQueries({ queryKey: ANIMALS }),
  });
  const reloading = useMutation({
    mutationFn: () => fetchVersion(id),
    onSuccess(now) {
      const [before, after] = [draftOf(seen.animal), draftOf(now.animal)];
      setTheirs(conflictingFields(draft, before, after));
      setDraft(rebaseDraft(draft, before, after));
      setSeen(now);
      changing.reset();
    },
  });
  const isOutdated = hasCode(changing.error, "precondition_failed");
  return (
    <AnimalForm
      draft={draft}
      onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
      categories={categories}
      {...(theirs && { hints: hintsOf(theirs, categories) })}
      {...((isOutdated || theirs) && { notice: <Outdated isLoaded={!isOutdated} reloading={reloading} /> })}
      submitLabel="Save"
      back={back}
      error={changing.error}
      isBusy={changing.isPending || reloading.isPending}
      onSubmit={() =>
        changing.mutate({ seen, draft }, { onSuccess: (changed) => done(back, changedMessage(changed)) })
      }
    />
  );
};

/** The dialog that changes an animal. */
export const ChangeAnimal = ({
  id,
  back,
  onChanged,
}: {
  id: number;
  back: string;
  onChanged: (animal: Animal) => void;
}) => {
  const { isLoading } = useCategories();
  const { data: seen, error, isPending, refetch } = useAnimalVersion(id);
  return (
    <Dialog title={seen ? `Change “${seen.animal.name}”` : "Change animal"} back={back}>
      {error && <Problem error={error} onRetry={refetch} />}
      {(isPending || isLoading) && !error && <Loading what="Loading the animal" isForm />}
      {seen && !isLoading && <ChangeForm seen={seen} back={back} onChanged={onChanged} />}
    </Dialog>
  );
};
