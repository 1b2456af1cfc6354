import { type ComponentChildren, createContext } from "preact";
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
  words,
  hidden = [],
  onSubmit,
  children,
}: {
  error: Error | null | undefined;
  /** The form's texts about each of its fields. */
  words: FormWords;
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

/** A control with its label, and a hint or the error of its field below it. */
export const Field = ({
  label,
  name = "",
  hint,
  error: given,
  children,
}: {
  label: string;
  /** The field's name in the API: the `Form` around it shows an error about it here. */
  name?: string;
  hint?: ComponentChildren;
  /** An error that is not of the form. */
  error?: string | undefined;
  /** The control. It takes the attributes that tie it to its label and hint. */
  children: (tied: { id: string; "aria-describedby": string; "aria-invalid"?: "true" }) => ComponentChildren;
}) => {
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
