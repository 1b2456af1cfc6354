import { useEffect, useRef, useState } from "preact/hooks";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { PlaceAdoption } from "../adoptions/place.tsx";
import { hasCode } from "../api/client.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Dialog, DialogButtons, useDraftGuard } from "../parts/dialog.tsx";
import { Loading, Notice, Problem } from "../parts/feedback.tsx";
import { useAction, useIdempotencyKey } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import { useAnimalActions } from "./actions.ts";
import { type View, animalPath, animalsPath } from "./addresses.ts";
import {
  type Animal,
  type AnimalVersion,
  type Draft,
  EMPTY_DRAFT,
  type NewAnimal,
  STATUS_NAMES,
  conflictingFields,
  draftOf,
  isSameDraft,
  isStatus,
  newAnimalOf,
  rebaseDraft,
} from "./animal.ts";
import { isSame } from "./changes.ts";
import { AnimalForm } from "./form.tsx";
import { fetchVersion, useAnimalVersion } from "./queries.ts";
import { StatusBadge } from "./rows.tsx";
import { WORDS } from "./words.ts";

/** The dialog that adds an animal. It begins with the category that is shown. */
export const AddAnimal = ({ view, onAdded }: { view: View; onAdded: (animal: Animal) => void }) => {
  const back = animalsPath(view);
  const header = useIdempotencyKey();
  const { add } = useAnimalActions();
  const { categories, isLoading } = useCategories();
  const first: Draft = { ...EMPTY_DRAFT, category: view.category ?? "" };
  const [draft, setDraft] = useState(first);
  const adding = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: NewAnimal) => add(body, header),
    onDone: onAdded,
    at: back,
    says: (animal) => ({
      words: WORDS.addedMessage(animal),
      link: { href: animalPath(animal.id, view), label: "View animal" },
    }),
  });
  return (
    <Dialog title={WORDS.add} back={back} isDirty={!isSameDraft(draft, first)}>
      <AnimalForm
        draft={draft}
        onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        categories={isLoading ? undefined : categories}
        submitLabel="Add"
        back={back}
        error={adding.error}
        isBusy={adding.isPending}
        onSubmit={() => adding.run(newAnimalOf(draft))}
      />
    </Dialog>
  );
};

/** Takes the focus from the button that it replaces. */
const Loaded = () => {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  return (
    <p ref={text} tabIndex={-1}>
      Reloaded. Your changes are still here: save or cancel.
    </p>
  );
};

/** Reports that another user has changed the animal, offers to reload it, and confirms the reload. */
const Outdated = ({
  isLoaded,
  reloading: { error, isPending, run },
}: {
  isLoaded: boolean;
  reloading: { error: Error | null; isPending: boolean; run: () => void };
}) => (
  <>
    {error && <Problem error={error} />}
    <div role="alert">
      <Notice tone="waiting">
        {isLoaded ? (
          <Loaded />
        ) : (
          <>
            <p>Somebody else has changed this animal, so nothing was saved.</p>
            <button
              type="button"
              class="secondary outline"
              aria-busy={isPending}
              aria-disabled={isPending}
              onClick={() => run()}
            >
              Reload and keep my changes
            </button>
          </>
        )}
      </Notice>
    </div>
  </>
);

const categoryName = (categories: readonly Category[], id: string): string =>
  categoryOf(categories, id)?.name ?? id;

/** Hints for the fields that another user has changed too. */
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

/** An edit: the version that was read, and the form. After a conflict the form continues with a newer version. */
const useEditing = (first: AnimalVersion) => {
  const [seen, setSeen] = useState(first);
  const [draft, setDraft] = useState(draftOf(first.animal));
  const [theirs, setTheirs] = useState<Partial<Draft>>();
  return {
    seen,
    draft,
    /** The fields that another user has changed too; undefined without a conflict. */
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

/** Sends only the changed fields, and only if no other user has changed the animal since it was read. */
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
      submitLabel="Save"
      back={back}
      error={saving.error}
      isBusy={saving.isPending || reloading.isPending}
      onSubmit={() => saving.run({ seen, draft })}
    />
  );
};

/** The dialog that edits an animal. */
const EditAnimal = ({ id, back }: { id: number; back: string }) => {
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

/** Deletes the version that is shown. If another user has changed the animal since, nothing is deleted. */
const DeleteForm = ({
  version,
  back,
  after,
  refresh,
}: {
  version: AnimalVersion;
  back: string;
  after: string;
  refresh: () => unknown;
}) => {
  const { id, name, status } = version.animal;
  const mayReadOrders = useSession().can("orders:read");
  const { remove } = useAnimalActions();
  const deleting = useAction({
    act: () => remove(version),
    at: after,
    says: () => WORDS.deletedMessage(version.animal),
  });
  const { error, isPending } = deleting;
  const content = useRef<HTMLDivElement>(null);
  // After a reload, the button that had the focus no longer exists.
  useEffect(() => {
    if (document.activeElement === document.body)
      content.current?.querySelector<HTMLElement>("footer a")?.focus();
  }, []);
  const isOutdated = hasCode(error, "precondition_failed");
  const isHeld = hasCode(error, "pet_in_order");
  const shown = isHeld ? new Error(WORDS.held) : error;
  const reload = () => {
    deleting.reset();
    return refresh();
  };
  return (
    <div ref={content}>
      {shown && <Problem error={shown} {...(isOutdated && { onRetry: reload, retryLabel: "Reload" })} />}
      {isHeld && mayReadOrders && (
        <p>
          <a href={adoptionsPath({ animal: id })}>Show its adoptions</a>
        </p>
      )}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {status && <StatusBadge status={status} />} will be deleted permanently.
      </p>
      <p>This can't be undone. Its adoptions stay.</p>
      <DialogButtons
        back={back}
        label={WORDS.delete}
        isBusy={isPending}
        isDangerous
        isEnabled={!isOutdated}
        onConfirm={() => deleting.run()}
      />
    </div>
  );
};

/** The dialog that deletes an animal. */
const DeleteAnimal = ({
  id,
  back,
  after,
}: {
  id: number;
  back: string;
  /** The page to open after the deletion. */
  after: string;
}) => {
  const { data: version, error, isPending, refetch } = useAnimalVersion(id);
  return (
    <Dialog title="Delete animal" back={back}>
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && <Loading what={WORDS.loadingOne} />}
      {version && (
        <DeleteForm key={version.tag} version={version} back={back} after={after} refresh={refetch} />
      )}
    </Dialog>
  );
};

const { import: TEXT } = WORDS;

const Command = ({ line }: { line: string }) => (
  <span class="command">
    <code>{line}</code> <CopyButton text={line} what={TEXT.copied} />
  </span>
);

/** The dialog that explains how to import animals: the API has no operation for it. */
export const ImportAnimals = ({ back }: { back: string }) => {
  const [save, check, run] = TEXT.steps;
  return (
    <Dialog title={WORDS.importFile} back={back}>
      <ol>
        <li>{save}</li>
        <li>
          {check} <Command line={TEXT.check} />
        </li>
        <li>
          {run} <Command line={TEXT.run} />
        </li>
      </ol>
      <footer>
        <a class="button secondary outline" href="/manual/tutorials/a-shelters-spreadsheet" target="_blank">
          {TEXT.guide}
        </a>
        <a class="button" href={back}>
          {TEXT.done}
        </a>
      </footer>
    </Dialog>
  );
};

/** The dialog about an animal that the address names, if the key allows it. */
export const AnimalDialog = ({
  id,
  act,
  back,
  after = back,
}: {
  id: number;
  act: string | undefined;
  back: string;
  /** The page to open after the animal's deletion. */
  after?: string;
}) => {
  const { can } = useSession();
  if (act === "adopt" && can("orders:write")) return <PlaceAdoption key={id} animalId={id} back={back} />;
  if (!can("pets:write")) return null;
  if (act === "change") return <EditAnimal key={id} id={id} back={back} />;
  if (act === "delete") return <DeleteAnimal key={id} id={id} back={back} after={after} />;
  return null;
};
