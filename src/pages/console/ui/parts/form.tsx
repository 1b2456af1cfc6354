import { type ComponentChildren, type ComponentProps, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { FieldProblem } from "../api/client.ts";
import { Problem } from "./feedback.tsx";
import { type FormWords, problemAt, problemsOf, wordsFor } from "./field-words.ts";
import { Sentence } from "./text.tsx";

const Errors = createContext<(field: string) => string | undefined>(() => undefined);

/** The problem with a field of the enclosing form; undefined without one. */
export const useFieldError = (field: string): string | undefined => useContext(Errors)(field);

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Controls whose text the browser could not read, such as half of a date. Their value is "", which may mean something else. */
const unreadable = (form: HTMLFormElement): FieldProblem[] =>
  ([...form.elements] as Control[])
    .filter(({ validity }) => validity?.badInput)
    .map((control) => ({
      name: control.closest<HTMLElement>("[data-field]")?.dataset["field"] ?? control.name,
      rule: "format",
    }));

/** The error in the form's words, unless a field shows it. */
const generalOf = (
  error: Error | null | undefined,
  words: FormWords,
  isShown: (field: string) => boolean,
): Error | undefined => {
  if (!error) return undefined;
  const problems = problemsOf(error);
  const known = Object.keys(words).filter((field) => problemAt(problems, field));
  if (known.some(isShown)) return undefined;
  const [field] = known;
  const problem = field === undefined ? undefined : problemAt(problems, field);
  return problem && field !== undefined ? new Error(wordsFor(problem, words[field])) : error;
};

/**
 * A form that shows the API's error at its fields, in the words of the console, or above them if it is about none of them. It
 * focuses the first invalid field. Each `Field` inside names its field in the API:
 *
 *     <Form error={rename.error} words={{ name: { missing: "Enter a name." } }} onSubmit={() => rename.run(name)}>
 *       <Field label="Name" name="name">...</Field>
 *     </Form>
 */
export const Form = ({
  error,
  words = {},
  hidden = [],
  onSubmit,
  children,
}: {
  error: Error | null | undefined;
  /** The form's texts about each of its fields. */
  words?: FormWords;
  /** Fields that this form does not show: an error about them is shown above the others. */
  hidden?: readonly string[];
  onSubmit: () => void;
  children: ComponentChildren;
}) => {
  const form = useRef<HTMLFormElement>(null);
  const [unread, setUnread] = useState<readonly FieldProblem[]>([]);
  const problems = unread.length > 0 ? unread : problemsOf(error);
  useEffect(
    () => form.current?.querySelector<HTMLElement>(".field.invalid :is(input, select, textarea)")?.focus(),
    [error, unread],
  );
  const errorAt = (field: string) => {
    const problem = problemAt(problems, field);
    return problem && wordsFor(problem, words[field]);
  };
  const general = unread.length > 0 ? undefined : generalOf(error, words, (field) => !hidden.includes(field));
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const found = unreadable(event.currentTarget);
        setUnread(found);
        if (found.length === 0) onSubmit();
      }}
    >
      {general && <Problem error={general} />}
      <Errors.Provider value={errorAt}>{children}</Errors.Provider>
    </form>
  );
};

/** The attributes that tie a control to its label and hint. */
export interface Tied {
  id: string;
  "aria-describedby": string;
  "aria-invalid"?: "true";
}

interface FieldProps {
  label: string;
  /** The field's name in the API: the `Form` around it shows an error about it here. */
  name?: string | undefined;
  hint?: ComponentChildren;
  /** An error that is not of the form. */
  error?: string | undefined;
}

/** A control with its label, and a hint or the error of its field below it. The control takes the attributes of `tied`. */
export const Field = ({
  label,
  name = "",
  hint,
  error: given,
  children,
}: FieldProps & { children: (tied: Tied) => ComponentChildren }) => {
  const id = useId();
  const found = useFieldError(name);
  const error = given ?? found;
  const words = error ?? hint;
  return (
    <div class={error ? "field invalid" : "field"} data-field={name || undefined}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-words`, ...(error && { "aria-invalid": "true" as const }) })}
      <small id={`${id}-words`} class={error ? "wrong" : ""} role={error ? "alert" : undefined}>
        {typeof words === "string" ? <Sentence text={words} /> : words}
      </small>
    </div>
  );
};

/** The entries of a form: those that were given until the user types others. `bind("name")` ties a field to its entry. */
export const useDraft = <Draft extends object>(given: Draft) => {
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const draft: Draft = { ...given, ...typed };
  const change = (change: Partial<Draft>) => setTyped((before) => ({ ...before, ...change }));
  return {
    draft,
    typed,
    change,
    reset: () => setTyped({}),
    isDirty: (Object.keys(given) as (keyof Draft)[]).some((name) => draft[name] !== given[name]),
    bind: <Name extends keyof Draft & string>(name: Name) => ({
      name,
      value: draft[name],
      onValue(value: Draft[Name]) {
        const entry: Partial<Draft> = {};
        entry[name] = value;
        change(entry);
      },
    }),
  };
};

/** A field that shows a value and reports the user's. */
interface BoundProps<Value> extends FieldProps {
  /** The field's name in the API if it is not the control's name; "" for none. */
  field?: string;
  value: Value;
  onValue: (value: Value) => void;
}

/** No keyboard corrects it. */
const CODE = { autocapitalize: "none", spellcheck: false } as const;

/** A field for text, with `rows` for several lines. Browsers do not store it. */
export const TextField = ({
  label,
  name,
  field = name,
  hint,
  error,
  onValue,
  isCode = false,
  ...control
}: BoundProps<string> & {
  /** A name, address or code instead of prose. */
  isCode?: boolean;
  rows?: number;
} & Pick<ComponentProps<"input">, "type" | "inputMode" | "required" | "maxLength">) => (
  <Field label={label} name={field} hint={hint} error={error}>
    {(tied) => {
      const attributes = {
        ...tied,
        name,
        autocomplete: "off",
        ...(isCode && CODE),
        ...control,
        onInput: (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value),
      } as const;
      return control.rows === undefined ? <input {...attributes} /> : <textarea {...attributes} />;
    }}
  </Field>
);

/** The choices of a list: each value with its text. */
export type Options = readonly (readonly [value: string, words: string])[];

export const Select = <Value extends string>({
  options,
  onValue,
  ...control
}: {
  value: Value;
  options: Options;
  onValue: (value: Value) => void;
} & Partial<Tied> &
  Pick<ComponentProps<"select">, "name" | "aria-label">) => (
  <select {...control} onChange={(event) => onValue(event.currentTarget.value as Value)}>
    {options.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
);

/** A field with a list to choose from. */
export const SelectField = <Value extends string>({
  label,
  name,
  field = name,
  hint,
  ...control
}: BoundProps<Value> & { options: Options }) => (
  <Field label={label} name={field} hint={hint}>
    {(tied) => <Select {...tied} {...control} name={name} />}
  </Field>
);

/** A box to tick, with its text. */
export const Check = ({
  name,
  isChecked,
  onCheck,
  children,
}: {
  name?: string;
  isChecked: boolean;
  onCheck: (isChecked: boolean) => void;
  children: ComponentChildren;
}) => (
  <label>
    <input
      type="checkbox"
      name={name}
      checked={isChecked}
      onChange={(event) => onCheck(event.currentTarget.checked)}
    />
    {children}
  </label>
);
