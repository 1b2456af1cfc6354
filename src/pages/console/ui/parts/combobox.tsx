import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Tied } from "./form.tsx";

interface ComboboxProps<Option> {
  tied: Tied;
  name: string;
  /** Names the list of suggestions. */
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
  /** The focus leaves the field. */
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
export const Combobox = <Option,>({
  tied,
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
        {...tied}
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
          {options.map((option, at) => (
            <li
              key={keyOf(option)}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === active}
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
