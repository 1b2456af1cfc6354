import { useState } from "preact/hooks";
import { hasCode } from "../api/client.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { useAction } from "../parts/use-action.ts";
import { useDraftGuard } from "../parts/use-draft-guard.ts";
import { useAnimalActions } from "./actions.ts";
import { isSame } from "./changes.ts";
import { type Draft, conflictingFields, draftOf, isSameDraft, newAnimalOf, rebaseDraft } from "./draft.ts";
import { AnimalForm } from "./form.tsx";
import { Outdated } from "./outdated.tsx";
import { fetchVersion, useAnimalVersion } from "./queries.ts";
import type { AnimalVersion } from "./statistics.ts";
import { STATUS_NAMES, isStatus } from "./statuses.ts";
import { WORDS } from "./words.ts";

const categoryName = (categories: readonly Category[], id: string): string =>
  categoryOf(categories, id)?.name ?? id;

/** Hints for the fields that somebody else has changed too. */
const hintsOf = (theirs: Partial<Draft>, categories: readonly Category[]): Partial<Draft> => {
  const { name, category, status } = theirs;
  return {
    ...(name !== undefined && { name: WORDS.theirName(name) }),
    ...(category !== undefined && {
      category: WORDS.theirChoice(`“${categoryName(categories, category)}”`),
    }),
    ...(status !== undefined && {
      status: WORDS.theirChoice(isStatus(status) ? STATUS_NAMES[status] : WORDS.noStatus),
    }),
  };
};

/** What is edited: the version that was read, and the form. After a conflict the form continues with a newer version. */
const useEditing = (first: AnimalVersion) => {
  const [seen, setSeen] = useState(first);
  const [draft, setDraft] = useState(draftOf(first.animal));
  const [theirs, setTheirs] = useState<Partial<Draft>>();
  return {
    seen,
    draft,
    /** The fields that somebody else has changed too; undefined if there was no conflict. */
    theirs,
    isDirty: !isSameDraft(draft, draftOf(seen.animal)),
    change: (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change })),
    rebase(now: AnimalVersion) {
      const [before, after] = [draftOf(seen.animal), draftOf(now.animal)];
      setTheirs(conflictingFields(draft, before, after));
      setDraft(rebaseDraft(draft, before, after));
      setSeen(now);
    },
  };
};

/** Sends only the changed fields, and only if nobody else has changed the animal since it was read. */
const EditForm = ({ version, back }: { version: AnimalVersion; back: string }) => {
  const { seen, draft, theirs, isDirty, change, rebase } = useEditing(version);
  useDraftGuard(isDirty);
  const { categories } = useCategories();
  const { save } = useAnimalActions();
  const saving = useAction({
    // Passed in: Enter may come before the last change is rendered.
    act: ({ seen, draft }: { seen: AnimalVersion; draft: Draft }) => save(seen, newAnimalOf(draft)),
    isUnchanged: ({ seen, draft }) => isSame(seen.animal, newAnimalOf(draft)),
    at: back,
    says: ({ animal }, { seen }) =>
      WORDS.editedMessage(seen.animal, animal, categoryName(categories, String(animal.categoryId))),
    undo: (saved, { seen }) => save(saved, seen.animal),
  });
  const reloading = useAction({
    act: () => fetchVersion(seen.animal.id),
    onDone(now) {
      rebase(now);
      saving.reset();
    },
  });
  const isOutdated = hasCode(saving.error, "precondition_failed");
  return (
    <AnimalForm
      draft={draft}
      onChange={change}
      categories={categories}
      {...(theirs && { hints: hintsOf(theirs, categories) })}
      {...((isOutdated || theirs) && { notice: <Outdated isLoaded={!isOutdated} reloading={reloading} /> })}
      submitLabel={WORDS.save}
      back={back}
      error={saving.error}
      isBusy={saving.isPending || reloading.isPending}
      onSubmit={() => saving.run({ seen, draft })}
    />
  );
};

/** The dialog that edits an animal. */
export const EditAnimal = ({ id, back }: { id: number; back: string }) => {
  const { isLoading } = useCategories();
  const { data: version, error, isPending, refetch } = useAnimalVersion(id);
  return (
    <Dialog title={WORDS.editTitle(version?.animal.name)} back={back}>
      {error && <Problem error={error} onRetry={refetch} />}
      {(isPending || isLoading) && !error && <Loading what={WORDS.loadingOne} isForm />}
      {version && !isLoading && <EditForm version={version} back={back} />}
    </Dialog>
  );
};
