import { useEffect, useRef, useState } from "preact/hooks";

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

/** A search of a list, which follows the typing. */
export const SearchField = ({
  label,
  placeholder = label,
  q,
  search,
}: {
  label: string;
  /** Shown in the empty field. */
  placeholder?: string;
  /** The list's search text, from the address. */
  q: string;
  search: (q: string) => void;
}) => {
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
