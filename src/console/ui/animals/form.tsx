import { useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { dataOf, hasCode, store } from "../api/client.ts";
import {
  type Category,
  FIELDS as CATEGORY_FIELDS,
  addedWords,
  byName,
  categoryOf,
} from "../categories/category.ts";
import { CATEGORIES } from "../categories/queries.ts";
import { Combobox } from "../parts/combobox.tsx";
import { DialogButtons } from "../parts/dialog.tsx";
import { problemAt, problemsOf, wordsFor } from "../parts/field-words.ts";
import { Field, Form } from "../parts/form.tsx";
import { useAction } from "../parts/action.tsx";
import { type Draft, STATUSES } from "./animal.ts";
import { type CategoryOption, exactOption, optionsFor } from "./category-options.ts";
import { FIELDS, WORDS } from "./words.ts";

/** The field in the API. */
const NAME = "categoryId";

interface CategoryFieldProps {
  /** The id; "" while none is chosen. */
  value: string;
  onChoose: (value: string) => void;
  hint?: string | undefined;
}

/** Creates a category and chooses it. */
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

const keyOf = (option: CategoryOption): string =>
  option.kind === "create" ? "new" : `${option.kind} ${option.id}`;

const Choice = ({
  categories,
  value,
  onChoose,
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
    onChoose(String(id));
  });
  const label = value && (categoryOf(categories, value)?.name ?? WORDS.categoryNo(value));
  const options = optionsFor(categories, typed ?? "");
  const chosen = options.findIndex((option) => option.kind !== "create" && option.id === value);
  const choose = (option: CategoryOption) => {
    if (option.kind === "create") return creating.run(option.name);
    setTyped(undefined);
    onChoose(option.id);
  };
  return (
    <Field
      label={WORDS.category}
      name={NAME}
      hint={creating.isPending ? "Creating the category…" : hint}
      error={refusalOf(creating.error)}
    >
      {(tied) => (
        <>
          <Combobox
            tied={tied}
            name={NAME}
            listLabel="Categories"
            text={typed ?? label}
            options={options}
            chosen={Math.max(0, chosen)}
            isOutdated={false}
            keyOf={keyOf}
            onText={(now) => {
              creating.reset();
              setTyped(now);
              onChoose(exactOption(categories, now)?.id ?? "");
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
                <bdi>{option.kind === "category" ? option.name : WORDS.categoryNo(option.id)}</bdi>
              )
            }
          </Combobox>
          <span class="visually-hidden" role="status">
            {typed !== undefined && typed !== "" && WORDS.categoriesFound(options)}
          </span>
        </>
      )}
    </Field>
  );
};

/** Shown while the categories load. */
const LoadingChoice = () => (
  <Field label={WORDS.category}>{(tied) => <input {...tied} disabled value="Loading…" />}</Field>
);

/** The category of an animal: an existing one, a new one, or any id. */
export const CategoryField = ({
  categories,
  ...given
}: CategoryFieldProps & { categories: readonly Category[] | undefined }) =>
  categories ? <Choice categories={categories} {...given} /> : <LoadingChoice />;

interface FieldProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  hint: string | undefined;
}

const NameField = ({ draft, onChange, hint = "" }: FieldProps) => (
  <Field label="Name" name="name" hint={hint}>
    {(tied) => (
      <input
        {...tied}
        name="name"
        required
        autocomplete="off"
        value={draft.name}
        onInput={(event) => onChange({ name: event.currentTarget.value })}
      />
    )}
  </Field>
);

/** The choices of a status. */
export const StatusOptions = () => (
  <>
    <option value="">{WORDS.noStatus}</option>
    {STATUSES.map((one) => (
      <option key={one} value={one}>
        {WORDS.statuses[one]}
      </option>
    ))}
  </>
);

const StatusField = ({ draft, onChange, hint = "" }: FieldProps) => (
  <Field label={WORDS.status} name="status" hint={hint}>
    {(tied) => (
      <select
        {...tied}
        name="status"
        value={draft.status}
        onChange={(event) => onChange({ status: event.currentTarget.value })}
      >
        <StatusOptions />
      </select>
    )}
  </Field>
);

/** The form for an animal. */
export const AnimalForm = ({
  draft,
  onChange,
  categories,
  hints = {},
  notice,
  submitLabel,
  back,
  error,
  isBusy,
  onSubmit,
}: {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** Undefined while they load. */
  categories: readonly Category[] | undefined;
  /** A hint for each field. */
  hints?: Partial<Draft>;
  /** Shown above the fields. For an outdated animal, it replaces the error message. */
  notice?: ComponentChildren;
  submitLabel: string;
  back: string;
  error: Error | null;
  isBusy: boolean;
  onSubmit: () => void;
}) => (
  <Form error={hasCode(error, "precondition_failed") ? null : error} words={FIELDS} onSubmit={onSubmit}>
    {notice}
    <NameField draft={draft} onChange={onChange} hint={hints.name} />
    <CategoryField
      categories={categories}
      value={draft.category}
      onChoose={(category) => onChange({ category })}
      hint={hints.category}
    />
    <StatusField draft={draft} onChange={onChange} hint={hints.status} />
    <DialogButtons back={back} label={submitLabel} isBusy={isBusy} />
  </Form>
);
