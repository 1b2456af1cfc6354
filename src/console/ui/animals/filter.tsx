import { useLocation } from "../parts/router.ts";
import { useEffect, useState } from "preact/hooks";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { Field } from "../parts/field.tsx";
import { type Filter, animalsPath } from "./addresses.ts";

const SearchField = ({
  q,
  search,
  error,
}: {
  q: string;
  search: (q: string) => void;
  error: string | undefined;
}) => {
  const [typed, setTyped] = useState(q);
  // Going back restores the search text.
  useEffect(() => setTyped(q), [q]);
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search(typed);
        }}
      >
        <Field label="Search by name" error={error}>
          {(tied) => (
            <div class="together">
              <input
                {...tied}
                type="search"
                name="q"
                autocomplete="off"
                value={typed}
                onInput={({ currentTarget: { value } }) => {
                  setTyped(value);
                  // The field was cleared, by its button or by hand.
                  if (value === "" && q !== "") search("");
                }}
              />
              <button type="submit" class="secondary outline">
                Search
              </button>
            </div>
          )}
        </Field>
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
    <Field label="Filter by category">
      {(tied) => (
        <select {...tied} value={category} onChange={(event) => onChoose(event.currentTarget.value)}>
          <option value="">all</option>
          {isUnknown && <option value={category}>{category}</option>}
          {categories.map(({ id, name }) => (
            <option key={id} value={String(id)}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};

/** The search and the filter. They are kept in the address. `refusal` is the API's error about the search. */
export const FilterForm = ({ filter, refusal }: { filter: Filter; refusal: string | undefined }) => {
  const { route } = useLocation();
  const { status, q = "", category = "", id } = filter;
  const show = (change: Filter) => route(animalsPath({ status, q, category, ...change }));
  return (
    <>
      <div class="filter">
        <SearchField q={q} search={(q) => show({ q })} error={refusal} />
        <CategoryChoice category={category} onChoose={(category) => show({ category })} />
      </div>
      {id !== undefined && (
        <p>
          Showing only the animal with the id {id}. <a href={animalsPath()}>Show all</a>
        </p>
      )}
    </>
  );
};
