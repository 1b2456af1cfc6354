import { useEffect, useRef, useState } from "preact/hooks";
import { adoptionsPath } from "../adoptions/order.ts";
import { PlaceAdoption } from "../adoptions/place.tsx";
import { hasCode } from "../api/client.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { CopyButton, Notice, One, Problem } from "../parts/page.tsx";
import { About, Dialog, DialogButtons, useDraftGuard } from "../parts/dialog.tsx";
import { takeFocus } from "../parts/focus.ts";
import { useDraft } from "../parts/form.tsx";
import { ActionButton, type ActionState, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import { fetchVersion, useAnimalActions, useAnimalVersion } from "./queries.ts";
import {
  type Animal,
  type AnimalVersion,
  type Draft,
  EMPTY_DRAFT,
  HELD,
  NO_STATUS,
  type NewAnimal,
  STATUS_NAMES,
  type View,
  animalPath,
  animalsPath,
  conflictingFields,
  draftOf,
  editedWords,
  isSameDraft,
  isStatus,
  newAnimalOf,
  rebaseDraft,
} from "./animal.ts";
import { isSame } from "./changes.ts";
import { AnimalForm, type Hints } from "./form.tsx";
import { StatusBadge } from "./rows.tsx";

/** The dialog that adds an animal. It begins with the category that is shown. */
export const AddAnimal = ({ view, onAdded }: { view: View; onAdded: (animal: Animal) => void }) => {
  const back = animalsPath(view);
  const header = useIdempotencyKey();
  const { add } = useAnimalActions();
  const { draft, change, isDirty } = useDraft<Draft>({ ...EMPTY_DRAFT, category: view.category ?? "" });
  const adding = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: NewAnimal) => add(body, header),
    onDone: onAdded,
    at: back,
    says: ({ id, name }) => ({
      words: `“${name}” added (no. ${id})`,
      link: { href: animalPath(id, view), label: "View animal" },
    }),
  });
  return (
    <Dialog title="Add animal" back={back} isDirty={isDirty}>
      <AnimalForm
        draft={draft}
        onChange={change}
        label="Add"
        action={adding}
        onSubmit={() => adding.run(newAnimalOf(draft))}
      />
    </Dialog>
  );
};

/** Reports that another user has changed the animal, offers to reload it, and confirms the reload. */
const Outdated = ({
  isLoaded,
  reloading,
}: {
  isLoaded: boolean;
  reloading: Pick<ActionState, "error" | "isPending" | "run">;
}) => (
  <>
    {reloading.error && <Problem error={reloading.error} />}
    <div role="alert">
      <Notice tone="waiting">
        {isLoaded ? (
          // It takes the focus from the button that it replaces.
          <p ref={takeFocus} tabIndex={-1}>
            Reloaded. Your changes are still here: save or cancel.
          </p>
        ) : (
          <>
            <p>Somebody else has changed this animal, so nothing was saved.</p>
            <ActionButton action={reloading} class="secondary outline">
              Reload and keep my changes
            </ActionButton>
          </>
        )}
      </Notice>
    </div>
  </>
);

const categoryName = (categories: readonly Category[], id: string): string =>
  categoryOf(categories, id)?.name ?? id;

const hintsOf = ({ name, category, status }: Partial<Draft>, categories: readonly Category[]): Hints => ({
  name: name === undefined ? name : `Somebody else changed it to “${name}”.`,
  category:
    category === undefined ? category : `Somebody else chose “${categoryName(categories, category)}”.`,
  status:
    status === undefined
      ? status
      : `Somebody else chose ${isStatus(status) ? STATUS_NAMES[status] : NO_STATUS}.`,
});

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
      editedWords(seen.animal, animal, categoryName(categories, String(animal.categoryId))),
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
      {...(theirs && { hints: hintsOf(theirs, categories) })}
      {...((isOutdated || theirs) && { notice: <Outdated isLoaded={!isOutdated} reloading={reloading} /> })}
      label="Save"
      action={{ ...saving, isPending: saving.isPending || reloading.isPending }}
      onSubmit={() => saving.run({ seen, draft })}
    />
  );
};

const EditAnimal = ({ id, back }: { id: number; back: string }) => {
  const { isLoading } = useCategories();
  const found = useAnimalVersion(id);
  const { data } = found;
  return (
    <Dialog title={data ? `Edit “${data.animal.name}”` : "Edit animal"} back={back}>
      <One found={isLoading ? { ...found, data: undefined } : found} what="the animal" isForm>
        {(version) => <EditForm version={version} back={back} />}
      </One>
    </Dialog>
  );
};

/** Deletes the version that is shown. If another user has changed the animal since, nothing is deleted. */
const DeleteForm = ({
  version,
  after,
  refresh,
}: {
  version: AnimalVersion;
  after: string;
  refresh: () => unknown;
}) => {
  const { id, name, status } = version.animal;
  const mayReadOrders = useSession().can("orders:read");
  const { remove } = useAnimalActions();
  const deleting = useAction({
    act: () => remove(version),
    at: after,
    says: () => `“${name}” deleted`,
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
  const shown = isHeld ? HELD : error;
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
      <About name={name}>{status && <StatusBadge status={status} />} will be deleted permanently.</About>
      <p>This can't be undone. Its adoptions stay.</p>
      <DialogButtons
        label="Delete"
        isBusy={isPending}
        isDangerous
        isEnabled={!isOutdated}
        onConfirm={() => deleting.run()}
      />
    </div>
  );
};

/** The dialog that deletes an animal. @param after the page to open after the deletion */
const DeleteAnimal = ({ id, back, after }: { id: number; back: string; after: string }) => {
  const found = useAnimalVersion(id);
  return (
    <Dialog title="Delete animal" back={back}>
      <One found={found} what="the animal" withErrors>
        {(version) => (
          <DeleteForm key={version.tag} version={version} after={after} refresh={found.refetch} />
        )}
      </One>
    </Dialog>
  );
};

const Command = ({ line }: { line: string }) => (
  <span class="command">
    <code>{line}</code> <CopyButton text={line} what="the command" />
  </span>
);

const IMPORT = "adoption-store import animals.csv --create-categories";

/** The dialog that explains how to import animals: the API has no operation for it. */
export const ImportAnimals = ({ back }: { back: string }) => (
  <Dialog title="Import a spreadsheet" back={back}>
    <ol>
      <li>Save the spreadsheet as CSV, and copy the file to the server.</li>
      <li>
        Check the file. This writes nothing and lists the rows with a problem:{" "}
        <Command line={`${IMPORT} --dry-run`} />
      </li>
      <li>
        Import it. Rows with a problem go to animals.csv.rejected, with the reason: <Command line={IMPORT} />
      </li>
    </ol>
    <footer>
      <a class="button secondary outline" href="/manual/tutorials/a-shelters-spreadsheet" target="_blank">
        Read the guide
      </a>
      <a class="button" href={back}>
        Close
      </a>
    </footer>
  </Dialog>
);

export const AnimalDialog = ({
  id,
  act,
  back,
  after = back,
}: {
  id: number;
  act: string | undefined;
  back: string;
  after?: string;
}) => {
  const { can } = useSession();
  if (act === "adopt" && can("orders:write")) return <PlaceAdoption key={id} animalId={id} back={back} />;
  if (!can("pets:write")) return null;
  if (act === "change") return <EditAnimal key={id} id={id} back={back} />;
  if (act === "delete") return <DeleteAnimal key={id} id={id} back={back} after={after} />;
  return null;
};
