import { type ComponentChildren, type ComponentProps, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { FieldProblem } from "../api/client.ts";
import { Problem, Sentence } from "./page.tsx";
import { conflicting, differing } from "./draft.ts";
import { type FormWords, type Options, problemAt, problemsOf, wordsFor } from "./wording.ts";

const Errors = createContext<(field: string) => string | undefined>(() => undefined);

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
  const problems = problemsOf(error);
  const known = Object.keys(words).filter((field) => problemAt(problems, field));
  if (!error || known.some(isShown)) return undefined;
  const [field] = known;
  const problem = field === undefined ? undefined : problemAt(problems, field);
  return field !== undefined && problem ? new Error(wordsFor(problem, words[field])) : error;
};

interface FormProps {
  error: Error | null | undefined;
  words?: FormWords;
  /** Fields that this form does not show: an error about them is shown above the others. */
  hidden?: readonly string[];
  onSubmit: () => void;
  children: ComponentChildren;
}

/**
 * A form that shows the API's error at its fields, in the words of the console, or above them if it is about none of them. It
 * focuses the first invalid field. Each `Field` inside names its field in the API:
 *
 *     <Form error={rename.error} words={{ name: { missing: "Enter a name." } }} onSubmit={() => rename.run(name)}>
 *       <Field label="Name" name="name">...</Field>
 *     </Form>
 */
export const Form = ({ error, words = {}, hidden = [], onSubmit, children }: FormProps) => {
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
interface InputProps {
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

/** The error of a field, or else its hint. */
export const Hint = ({ id, hint, error }: Pick<FieldProps, "hint" | "error"> & { id: string }) => {
  const words = error ?? hint;
  return (
    <small id={id} class={error ? "wrong" : ""} role={error ? "alert" : undefined}>
      {typeof words === "string" ? <Sentence text={words} /> : words}
    </small>
  );
};

/** A control with its label, and a hint or the error of its field below it. The control takes the attributes of `inputProps`. */
export const Field = ({
  label,
  name = "",
  hint,
  error: given,
  children,
}: FieldProps & {
  children: (inputProps: InputProps) => ComponentChildren;
}) => {
  const id = useId();
  const found = useFieldError(name);
  const error = given ?? found;
  return (
    <div class={error ? "field invalid" : "field"} data-field={name || undefined}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-words`, ...(error && { "aria-invalid": "true" as const }) })}
      <Hint id={`${id}-words`} hint={hint} error={error} />
    </div>
  );
};

/** The entries of a form: those that were given until the user types others. `bind("name")` ties a field to its entry. */
export const useDraft = <Draft extends object>(given: Draft) => {
  const [first] = useState(given);
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const draft: Draft = { ...given, ...typed };
  const change = (change: Partial<Draft>) => setTyped((before) => differing({ ...before, ...change }, given));
  return {
    draft,
    typed,
    /** The given entries that have changed since the form was opened, although the user has typed others. */
    theirs: conflicting(typed, first, given),
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
    {(inputProps) => {
      const attributes = {
        ...inputProps,
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

interface Choice<Value> {
  value: Value;
  options: Options;
  onValue: (value: Value) => void;
}

export const Select = <Value extends string>({
  options,
  onValue,
  ...control
}: Choice<Value> & Partial<InputProps> & Pick<ComponentProps<"select">, "name" | "aria-label">) => (
  <select {...control} onChange={(event) => onValue(event.currentTarget.value as Value)}>
    {options.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
);

export const SelectField = <Value extends string>({
  label,
  name,
  field = name,
  hint,
  ...control
}: BoundProps<Value> & { options: Options }) => (
  <Field label={label} name={field} hint={hint}>
    {(inputProps) => <Select {...inputProps} {...control} name={name} />}
  </Field>
);

interface CheckProps {
  name?: string;
  isChecked: boolean;
  onCheck: (isChecked: boolean) => void;
  children: ComponentChildren;
}

export const Check = ({ name, isChecked, onCheck, children }: CheckProps) => (
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

/** A place where files are dropped, or chosen. */
export const DropField = ({
  label,
  onFiles,
  ...input
}: { label: string; onFiles: (files: readonly File[]) => void } & Pick<
  ComponentProps<"input">,
  "name" | "accept" | "multiple"
>) => {
  const id = useId();
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={isOver ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        {...input}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // So that the same file can be chosen again.
          currentTarget.value = "";
        }}
      />
    </div>
  );
};

interface ComboboxProps<Option> {
  inputProps: InputProps;
  name: string;
  listLabel: string;
  /** The typed text, or the label of the chosen option. */
  text: string;
  options: readonly Option[];
  keyOf: (option: Option) => string | number;
  /** The index of the chosen option, where an opened list begins. By default, it begins with the first option. */
  chosen?: number | undefined;
  /** The options are those of an earlier text: Enter waits for those of the current one. */
  isOutdated: boolean;
  /** Shown in the list instead of options. */
  message?: string | undefined;
  onText: (text: string) => void;
  onChoose: (option: Option) => void;
  onBlur?: () => void;
  children: (option: Option) => ComponentChildren;
}

/** How far an arrow key moves; undefined for other keys. */
const STEPS: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1 };

/** The active suggestion, the state of the list, and its key handlers. */
const useSuggestions = <Option,>({
  options,
  chosen = 0,
  isOutdated,
  keyOf,
  onChoose,
}: Pick<ComboboxProps<Option>, "options" | "chosen" | "isOutdated" | "keyOf" | "onChoose">) => {
  const [isOpen, setOpen] = useState(false);
  const keys = options.map(keyOf).join();
  // Another list begins anywhere else, in the same render: a key may be pressed before any effect runs.
  const [moved, setMoved] = useState<{ keys: string; to: number }>();
  const active = isOpen && moved?.keys === keys ? moved.to : chosen;
  const isListed = isOpen && options.length > 0;
  const [isAwaited, setAwaited] = useState(false);
  const choose = (option: Option) => {
    onChoose(option);
    setOpen(false);
  };
  useEffect(() => {
    if (!isAwaited || isOutdated) return;
    setAwaited(false);
    const first = options[active];
    if (first) choose(first);
  }, [isAwaited, isOutdated]);
  const close = () => {
    setOpen(false);
    setAwaited(false);
  };
  const onText = () => {
    setOpen(true);
    setAwaited(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const option = options[active];
    if (step !== undefined) {
      setOpen(true);
      const { length } = options;
      setMoved({ keys, to: isListed ? (active + step + length) % length : active });
    } else if (event.key === "Enter" && isOpen && isOutdated) setAwaited(true);
    else if (event.key === "Enter" && isListed && option) choose(option);
    else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
  };
  return { isOpen, isListed, active, setOpen, onText, choose, onKeyDown };
};

/**
 * A text field with a list of suggestions: the combobox of ARIA 1.2. The focus stays in the field. The chosen suggestion, or
 * the first one, is active. Enter chooses it. Escape closes the list, and only then the dialog around it.
 */
const Combobox = <Option,>({
  inputProps,
  name,
  listLabel,
  text,
  message,
  onText,
  onBlur,
  children,
  ...list
}: ComboboxProps<Option>) => {
  const id = useId();
  const { options, keyOf } = list;
  const { isOpen, isListed, active, setOpen, choose, onKeyDown, ...suggestions } = useSuggestions(list);
  const shown = useRef<HTMLUListElement>(null);
  useEffect(() => shown.current?.children[active]?.scrollIntoView({ block: "nearest" }), [active, isListed]);
  return (
    <div class="combobox">
      <input
        {...inputProps}
        name={name}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isListed}
        aria-controls={isListed ? id : undefined}
        aria-activedescendant={isListed ? `${id}-${active}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          suggestions.onText();
          onText(value);
        }}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setOpen(false);
          onBlur?.();
        }}
      />
      {isListed && (
        // Pressing an option must not take the focus from the field.
        <ul
          ref={shown}
          id={id}
          role="listbox"
          aria-label={listLabel}
          onMouseDown={(event) => event.preventDefault()}
        >
          {options.map((option, index) => (
            <li
              key={keyOf(option)}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onClick={() => choose(option)}
            >
              {children(option)}
            </li>
          ))}
        </ul>
      )}
      {isOpen && !isListed && message && <p class="suggestion">{message}</p>}
    </div>
  );
};

/** A field with suggestions. */
export const ComboboxField = <Option,>({
  label,
  name,
  field = name,
  hint,
  error,
  found,
  ...combobox
}: FieldProps &
  Omit<ComboboxProps<Option>, "inputProps"> & {
    /** The field's name in the API if it is not the control's name. */
    field?: string;
    /** How many suggestions there are, for screen readers. */
    found: string | false;
  }) => (
  <Field label={label} name={field} hint={hint} error={error}>
    {(inputProps) => (
      <>
        <Combobox {...combobox} name={name} inputProps={inputProps} />
        <span class="visually-hidden" role="status">
          {found}
        </span>
      </>
    )}
  </Field>
);

/** How long the user may pause between two letters without a search. */
const TYPING_MS = 250;

/**
 * A search that follows the typing. The typed text belongs to the user: an address that comes from here does not change
 * it, one that comes from elsewhere, such as Back, does.
 */
const useTyping = (q: string, search: (q: string) => void) => {
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // The list may have got another filter or order since the last letter.
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => {
    if (q === sent.current) return;
    clearTimeout(timer.current);
    sent.current = q;
    setTyped(q);
  }, [q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (text: string) => {
    clearTimeout(timer.current);
    const wanted = text.trim();
    if (wanted === sent.current) return;
    sent.current = wanted;
    latest.current(wanted);
  };
  return {
    typed,
    send: () => send(typed),
    type(text: string) {
      setTyped(text);
      clearTimeout(timer.current);
      if (text === "") send(text);
      else timer.current = setTimeout(() => send(text), TYPING_MS);
    },
  };
};

interface SearchProps {
  label: string;
  placeholder?: string;
  /** The list's search text, from the address. */
  q: string;
  search: (q: string) => void;
}

export const SearchField = ({ label, placeholder = label, q, search }: SearchProps) => {
  const { typed, type, send } = useTyping(q, search);
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <input
          type="search"
          name="q"
          autocomplete="off"
          aria-label={label}
          placeholder={placeholder}
          maxLength={100}
          value={typed}
          onInput={({ currentTarget: { value } }) => type(value)}
        />
      </form>
    </search>
  );
};
