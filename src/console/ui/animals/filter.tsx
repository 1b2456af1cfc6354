import { useLocation } from "../parts/router.ts";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { SearchField } from "../parts/search-field.tsx";
import { type View, animalsPath } from "./addresses.ts";
import { WORDS } from "./words.ts";

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
      {isUnknown && <option value={category}>{WORDS.categoryNo(category)}</option>}
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
      <SearchField
        label={WORDS.search}
        placeholder={WORDS.searchPlaceholder}
        q={q.trim()}
        search={(q) => route(animalsPath({ ...view, q }), true)}
      />
      <CategoryChoice
        category={category}
        onChoose={(category) => route(animalsPath({ ...view, category }))}
      />
    </div>
  );
};
