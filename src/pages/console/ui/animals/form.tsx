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
import { CATEGORIES, useCategories } from "../categories/queries.ts";
import { Combobox, Field, SelectField, TextField } from "../parts/form.tsx";
import { DialogForm } from "../parts/dialog.tsx";
import { pluralize, problemAt, problemsOf, wordsFor } from "../parts/wording.ts";
import { type ActionState, useAction } from "../parts/action.tsx";
import {
  type CategoryOption,
  type Draft,
  FIELDS,
  STATUS_OPTIONS,
  categoryNo,
  exactOption,
  optionsFor,
} from "./animal.ts";

const NAME = "categoryId";

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
    <Field
      label="Category"
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
          </Combobox>
          <span class="visually-hidden" role="status">
            {typed !== undefined && typed !== "" && foundWords(options)}
          </span>
        </>
      )}
    </Field>
  );
};

export const CategoryField = (field: CategoryFieldProps) => {
  const { categories, isLoading } = useCategories();
  if (!isLoading) return <Choice categories={categories} {...field} />;
  return <Field label="Category">{(tied) => <input {...tied} disabled value="Loading…" />}</Field>;
};

export const StatusField = (field: {
  name?: string;
  hint?: string | undefined;
  value: string;
  onValue: (status: string) => void;
}) => <SelectField label="Status" options={STATUS_OPTIONS} {...field} />;

export type Hints = { [Name in keyof Draft]?: string | undefined };

export const AnimalForm = ({
  draft,
  onChange,
  hints = {},
  notice,
  label,
  action,
  onSubmit,
}: {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  hints?: Hints;
  /** Shown above the fields. For an outdated animal, it replaces the error message. */
  notice?: ComponentChildren;
  label: string;
  action: Pick<ActionState, "error" | "isPending">;
  onSubmit: () => void;
}) => {
  const bind = (name: keyof Draft) => ({
    name,
    hint: hints[name],
    value: draft[name],
    onValue: (value: string) => onChange({ [name]: value }),
  });
  return (
    <DialogForm
      action={hasCode(action.error, "precondition_failed") ? { ...action, error: null } : action}
      words={FIELDS}
      label={label}
      onSubmit={onSubmit}
    >
      {notice}
      <TextField label="Name" required {...bind("name")} />
      <CategoryField {...bind("category")} />
      <StatusField {...bind("status")} />
    </DialogForm>
  );
};
