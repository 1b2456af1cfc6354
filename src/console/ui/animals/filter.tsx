import { useLocation } from "../parts/router.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { type View, animalsPath } from "./addresses.ts";
import { WORDS } from "./words.ts";

/** How long the user may pause between two letters without a search. */
const TYPING_MS = 250;

/**
 * A search that follows the typing. What is typed belongs to the user: an address that comes from here does not change it,
 * one that comes from elsewhere, such as Back, does.
 */
const useTyping = (q: string, search: (q: string) => void) => {
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const timer = useRef<ReturnType<typeof setTimeout>>();
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
    search(wanted);
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

const SearchField = ({ q, search }: { q: string; search: (q: string) => void }) => {
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
          aria-label={WORDS.search}
          placeholder={WORDS.searchPlaceholder}
          value={typed}
          onInput={({ currentTarget: { value } }) => type(value)}
        />
      </form>
    </search>
  );
};

const CategoryChoice = ({
  category,
  onChoose,
}: {
  category: string;
  onChoose: (category: string) => void;
}) => {
  const { categories } = useCategories();
  const isUnknown = category !== "" && !categoryOf(categories, category);
  return (
    <select
      aria-label={WORDS.category}
      value={category}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">{WORDS.allCategories}</option>
      {isUnknown && <option value={category}>{category}</option>}
      {categories.map(({ id, name }) => (
        <option key={id} value={String(id)}>
          {name}
        </option>
      ))}
    </select>
  );
};

/** The search and the filter by category. They are kept in the address; what is typed replaces it. */
export const FilterForm = ({ view }: { view: View }) => {
  const { route } = useLocation();
  const { q = "", category = "" } = view;
  return (
    <div class="filter">
      <SearchField q={q.trim()} search={(q) => route(animalsPath({ ...view, q }), true)} />
      <CategoryChoice
        category={category}
        onChoose={(category) => route(animalsPath({ ...view, category }))}
      />
    </div>
  );
};
