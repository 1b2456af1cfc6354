import { useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Int64, dataOf, hasCode, store } from "../api/client.ts";
import { adoptionsPath } from "../adoptions/order.ts";
import {
  type Category,
  FIELDS as CATEGORY_FIELDS,
  addedWords,
  byName,
  categoryOf,
} from "../categories/category.ts";
import { Badge, Notice, One, Problem } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import {
  type Animal,
  type AnimalDraft,
  type AnimalVersion,
  type CategoryOption,
  type Draft,
  EMPTY_DRAFT,
  FIELDS,
  HELD,
  NO_STATUS,
  STATUS_NAMES,
  STATUS_OPTIONS,
  type Status,
  TONES,
  type View,
  type WholeVersion,
  animalPath,
  animalsPath,
  categoryNo,
  draftOf,
  editedWords,
  exactOption,
  isEmpty,
  isStatus,
  newAnimalOf,
  optionsFor,
} from "./animal.ts";
import { CATEGORIES, useCategories, useCustomFields } from "../categories/queries.ts";
import { ComboboxField, Field, SelectField, TextField, useDraft } from "../parts/form.tsx";
import { About, Dialog, DialogButtons, DialogForm, useDraftGuard } from "../parts/dialog.tsx";
import { pluralize, problemAt, problemsOf, wordsFor } from "../parts/wording.ts";
import { ActionButton, type ActionState, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { ArrangePhotos } from "./arrange-photos.tsx";
import { ACCEPTED, useSendPhoto } from "./photos.tsx";
import { PlaceAdoption } from "../adoptions/place.tsx";
import { takeFocus } from "../parts/navigation.ts";
import { type Member, membersWith, profileChangeOf, profileDraftOf, profileWords } from "./profile.ts";
import { type AnimalEntries, ProfileFields } from "./profile-fields.tsx";
import { fetchVersion, useAnimalActions, useAnimalVersion } from "./queries.ts";

export const CategoryName = ({ id, categories }: { id: Int64; categories: readonly Category[] }) => {
  const known = categoryOf(categories, id);
  return known ? <bdi title={`No. ${id}`}>{known.name}</bdi> : <>{categoryNo(id)}</>;
};

export const StatusBadge = ({ status }: { status: Status | undefined }) =>
  status ? <Badge tone={TONES[status]}>{STATUS_NAMES[status]}</Badge> : <>–</>;

export const AnimalLinks = ({
  animal: { id, name, status },
  pathOf,
  linkClass = "",
}: {
  animal: Animal;
  pathOf: (act: string) => string;
  linkClass?: string;
}) => {
  const { can } = useSession();
  const link = (href: string, label: string, title = `${label} ${name}`) => (
    <a class={linkClass} href={href} aria-label={title}>
      {label}
    </a>
  );
  return (
    <>
      {can("orders:write") && status === "available" && link(pathOf("adopt"), "Adopt")}
      {can("orders:read") &&
        status === "pending" &&
        link(adoptionsPath({ animal: id }), "Adoption", `Adoption of ${name}`)}
      {can("pets:write") && (
        <>
          {link(pathOf("change"), "Edit")}
          {link(pathOf("delete"), "Delete")}
        </>
      )}
    </>
  );
};

interface CategoryFieldProps {
  /** The id; "" while none is chosen. */
  value: string;
  onValue: (value: string) => void;
  hint?: string | undefined;
}

const useNewCategory = (onCreated: (category: Category) => void) => {
  const queries = useQueryClient();
  return useAction({
    act: (name: string) => dataOf(store.POST("/categories", { body: { name } })),
    changes: [CATEGORIES],
    onDone(category) {
      queries.setQueryData<Category[]>(CATEGORIES, (before = []) => byName([...before, category]));
      onCreated(category);
    },
    says: addedWords,
  });
};

const refusalOf = (error: Error | null): string | undefined => {
  const problem = problemAt(problemsOf(error), "name");
  return problem ? wordsFor(problem, CATEGORY_FIELDS["name"]) : error?.message;
};

/** Screen readers announce how many categories match, and that a new one can be created. */
const foundWords = (options: readonly CategoryOption[]): string => {
  const known = options.filter(({ kind }) => kind !== "create").length;
  const found = `${pluralize(known, "category", "categories")} found`;
  return known < options.length ? `${found}. You can create a new one.` : found;
};

const keyOf = (option: CategoryOption): string =>
  option.kind === "create" ? "new" : `${option.kind} ${option.id}`;

const Choice = ({
  categories,
  value,
  onValue,
  hint = "Type a name to find a category or create one.",
}: CategoryFieldProps & { categories: readonly Category[] }) => {
  /** Undefined once a category is chosen: its name is shown. */
  const [typed, setTyped] = useState<string>();
  const latest = useRef(typed);
  latest.current = typed;
  const creating = useNewCategory(({ id, name }) => {
    // The user may have typed another name.
    if (latest.current?.trim() !== name) return;
    setTyped(undefined);
    onValue(String(id));
  });
  const label = value && (categoryOf(categories, value)?.name ?? categoryNo(value));
  const options = optionsFor(categories, typed ?? "");
  const chosen = options.findIndex((option) => option.kind !== "create" && option.id === value);
  const choose = (option: CategoryOption) => {
    if (option.kind === "create") return creating.run(option.name);
    setTyped(undefined);
    onValue(option.id);
  };
  return (
    <ComboboxField
      label="Category"
      name="categoryId"
      hint={creating.isPending ? "Creating the category…" : hint}
      error={refusalOf(creating.error)}
      listLabel="Categories"
      text={typed ?? label}
      options={options}
      chosen={Math.max(0, chosen)}
      isOutdated={false}
      keyOf={keyOf}
      found={Boolean(typed) && foundWords(options)}
      onText={(now) => {
        creating.reset();
        setTyped(now);
        onValue(exactOption(categories, now)?.id ?? "");
      }}
      onChoose={choose}
      onBlur={() => value !== "" && setTyped(undefined)}
    >
      {(option) =>
        option.kind === "create" ? (
          <>
            Create category “<bdi>{option.name}</bdi>”
          </>
        ) : (
          <bdi>{option.kind === "category" ? option.name : categoryNo(option.id)}</bdi>
        )
      }
    </ComboboxField>
  );
};

export const CategoryField = (field: CategoryFieldProps) => {
  const { categories, isLoading } = useCategories();
  if (!isLoading) return <Choice categories={categories} {...field} />;
  return (
    <Field label="Category">{(inputProps) => <input {...inputProps} disabled value="Loading…" />}</Field>
  );
};

export const StatusField = (field: {
  name?: string;
  hint?: string | undefined;
  value: string;
  onValue: (status: string) => void;
}) => <SelectField label="Status" options={STATUS_OPTIONS} {...field} />;

const categoryName = (categories: readonly Category[], id: string): string =>
  categoryOf(categories, id)?.name ?? id;

const hintsOf = ({ name, category, status }: Partial<Draft>, categories: readonly Category[]) => ({
  name: name && `Somebody else changed it to “${name}”.`,
  category: category && `Somebody else chose “${categoryName(categories, category)}”.`,
  // Without a status, it is "".
  status:
    status !== undefined
      ? `Somebody else chose ${isStatus(status) ? STATUS_NAMES[status] : NO_STATUS}.`
      : undefined,
});

const AnimalForm = ({
  form: { bind, theirs },
  members,
  notice,
  photos,
  label,
  action,
  onSubmit,
}: {
  form: AnimalEntries;
  members: readonly Member[];
  /** Shown above the fields. For an outdated animal, it replaces the error message. */
  notice?: ComponentChildren;
  photos?: ComponentChildren;
  label: string;
  action: Pick<ActionState, "error" | "isPending">;
  onSubmit: () => void;
}) => {
  const hints = hintsOf(theirs, useCategories().categories);
  return (
    <DialogForm
      action={hasCode(action.error, "precondition_failed") ? { ...action, error: null } : action}
      words={{ ...FIELDS, ...profileWords(members) }}
      label={label}
      onSubmit={onSubmit}
    >
      {notice}
      <TextField label="Name" required hint={hints.name} {...bind("name")} />
      <CategoryField hint={hints.category} {...bind("category")} />
      {photos}
      <StatusField hint={hints.status} {...bind("status")} />
      <ProfileFields members={members} bind={bind} theirs={theirs} error={action.error} />
    </DialogForm>
  );
};

/** What a form shows of an animal, and what it saves. */
const useAnimalForm = () => {
  const { save } = useAnimalActions();
  const members = membersWith(useCustomFields().data ?? []);
  const entriesOf = ({ animal, profile }: WholeVersion): AnimalDraft => ({
    ...profileDraftOf(profile, members),
    ...draftOf(animal),
  });
  const profileChange = (from: WholeVersion, draft: AnimalDraft) =>
    profileChangeOf(entriesOf(from), draft, members);
  return {
    members,
    entriesOf,
    profileChange,
    saveDraft: (from: WholeVersion, draft: AnimalDraft, onSaved?: (now: WholeVersion) => void) =>
      save(from, { animal: newAnimalOf(draft), profile: profileChange(from, draft) }, onSaved),
  };
};

const EMPTY_PROFILE = { createdAt: "", updatedAt: "" };

const withoutProfile = (animal: Animal): WholeVersion => ({
  animal,
  tag: "*",
  profile: EMPTY_PROFILE,
  profileTag: "*",
});

/** The dialog that adds an animal. It begins with the category that is shown. */
export const AddAnimal = ({ view, onAdded }: { view: View; onAdded: (animal: Animal) => void }) => {
  const back = animalsPath(view);
  const header = useIdempotencyKey();
  const { add } = useAnimalActions();
  const { members, saveDraft } = useAnimalForm();
  const form = useDraft<AnimalDraft>({
    ...profileDraftOf(EMPTY_PROFILE, members),
    ...EMPTY_DRAFT,
    category: view.category ?? "",
  });
  /** Undefined until the animal is added: its profile may be refused after that. */
  const added = useRef<WholeVersion>();
  const [photos, setPhotos] = useState<readonly File[]>([]);
  const sendPhoto = useSendPhoto();
  const adding = useAction({
    // The draft is passed in: Enter may come before the last change is rendered.
    async act(draft: AnimalDraft) {
      added.current ??= withoutProfile(await add(newAnimalOf(draft), header));
      const { animal } = await saveDraft(added.current, draft, (now) => (added.current = now));
      return animal;
    },
    onDone(animal) {
      onAdded(animal);
      for (const file of photos) sendPhoto(animal.id, file);
    },
    at: back,
    says: ({ id, name }) => ({
      words: `“${name}” added (no. ${id})`,
      link: { href: animalPath(id, view), label: "View animal" },
    }),
  });
  return (
    <Dialog title="Add animal" back={back} isDirty={form.isDirty || photos.length > 0}>
      <AnimalForm
        form={form}
        members={members}
        notice={
          adding.error &&
          added.current && <Notice tone="waiting" text="The animal was added, but not all of it." />
        }
        photos={
          <Field label="Photos">
            {(inputProps) => (
              <input
                {...inputProps}
                type="file"
                name="photos"
                accept={ACCEPTED}
                multiple
                onChange={({ currentTarget: { files } }) => setPhotos([...(files ?? [])])}
              />
            )}
          </Field>
        }
        label="Add"
        action={adding}
        onSubmit={() => adding.run(form.draft)}
      />
    </Dialog>
  );
};

interface OutdatedProps {
  isLoaded: boolean;
  reloading: Pick<ActionState, "error" | "isPending" | "run">;
}

/** Reports that another user has changed the animal, offers to reload it, and confirms the reload. */
const Outdated = ({ isLoaded, reloading }: OutdatedProps) => (
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
            <p>Somebody else has changed this animal. Your changes are not saved yet.</p>
            <ActionButton action={reloading} class="secondary outline">
              Reload and keep my changes
            </ActionButton>
          </>
        )}
      </Notice>
    </div>
  </>
);

/** Sends only the changed fields, and only if no other user has changed the animal since it was read. */
const EditForm = ({ version, back }: { version: WholeVersion; back: string }) => {
  // After a conflict, the form continues with a newer version.
  const [seen, setSeen] = useState(version);
  const [isReloaded, setReloaded] = useState(false);
  const { members, entriesOf, profileChange, saveDraft } = useAnimalForm();
  const form = useDraft(entriesOf(seen));
  const { draft, isDirty } = form;
  useDraftGuard(isDirty);
  const { categories } = useCategories();
  const saving = useAction({
    // Passed in: Enter may come before the last change is rendered.
    act: ({ seen, draft }: { seen: WholeVersion; draft: AnimalDraft }) => saveDraft(seen, draft, setSeen),
    isUnchanged: () => !isDirty,
    at: back,
    says: ({ animal }, { seen, draft }) =>
      editedWords(
        seen.animal,
        animal,
        categoryName(categories, String(animal.categoryId)),
        !isEmpty(profileChange(seen, draft)),
      ),
    undo: (saved, { seen }) => saveDraft(saved, entriesOf(seen)),
  });
  const reloading = useAction({
    act: () => fetchVersion(seen.animal.id),
    onDone(now) {
      setSeen(now);
      setReloaded(true);
      saving.reset();
    },
  });
  const isOutdated = hasCode(saving.error, "precondition_failed");
  return (
    <AnimalForm
      form={form}
      members={members}
      notice={(isOutdated || isReloaded) && <Outdated isLoaded={!isOutdated} reloading={reloading} />}
      label="Save"
      action={{ ...saving, isPending: saving.isPending || reloading.isPending }}
      onSubmit={() => saving.run({ seen, draft })}
    />
  );
};

const EditAnimal = ({ id, back }: { id: number; back: string }) => {
  const isLoading = [useCategories(), useCustomFields()].some((one) => one.isLoading);
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

interface DeleteProps {
  version: AnimalVersion;
  after: string;
  refresh: () => unknown;
}

/** Deletes the version that is shown. If another user has changed the animal since, nothing is deleted. */
const DeleteForm = ({ version, after, refresh }: DeleteProps) => {
  const { id, name, status } = version.animal;
  const mayReadOrders = useSession().can("orders:read");
  const { remove } = useAnimalActions();
  const deleting = useAction({
    act: () => remove(version),
    at: after,
    says: () => `“${name}” deleted`,
  });
  const content = useRef<HTMLDivElement>(null);
  // After a reload, the button that had the focus no longer exists.
  useEffect(() => {
    if (document.activeElement === document.body)
      content.current?.querySelector<HTMLElement>("footer a")?.focus();
  }, []);
  const isOutdated = hasCode(deleting.error, "precondition_failed");
  const isHeld = hasCode(deleting.error, "pet_in_order");
  const shown = isHeld ? HELD : deleting.error;
  const reload = () => {
    deleting.reset();
    return refresh();
  };
  return (
    <div ref={content}>
      {shown && <Problem error={shown} onRetry={isOutdated ? reload : undefined} retryLabel="Reload" />}
      {isHeld && mayReadOrders && (
        <p>
          <a href={adoptionsPath({ animal: id })}>Show its adoptions</a>
        </p>
      )}
      <About name={name}>{status && <StatusBadge status={status} />} will be deleted permanently.</About>
      <p>This can't be undone. Its adoptions stay.</p>
      <DialogButtons
        label="Delete"
        isBusy={deleting.isPending}
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

interface AnimalDialogProps {
  id: number;
  act: string | undefined;
  back: string;
  /** The page to open after the animal's deletion. */
  after?: string;
}

/** The dialog about an animal that the address names. */
export const AnimalDialog = ({ id, act, back, after = back }: AnimalDialogProps) => {
  const { can } = useSession();
  if (act === "adopt" && can("orders:write")) return <PlaceAdoption key={id} animalId={id} back={back} />;
  if (!can("pets:write")) return null;
  if (act === "change") return <EditAnimal key={id} id={id} back={back} />;
  if (act === "photos") return <ArrangePhotos key={id} id={id} back={back} />;
  if (act === "delete") return <DeleteAnimal key={id} id={id} back={back} after={after} />;
  return null;
};
