import { useQueryClient } from "@tanstack/preact-query";
import { useRoute } from "../parts/navigation.ts";
import { animalsPath } from "../animals/addresses.ts";
import { useLiveAnimals } from "../animals/live.ts";
import { ANIMALS } from "../animals/queries.ts";
import { formatCount, pluralize } from "../parts/wording.ts";
import { idOf } from "../parts/address.ts";
import { Page } from "../parts/page.tsx";
import { reread } from "../parts/reads.ts";
import { type Column, List, byId } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { type Category, categoriesPath } from "./category.ts";
import { DeleteCategory, NewCategory, RenameCategory } from "./dialogs.tsx";
import { MAX_CATEGORIES, useCategories, useCounts } from "./queries.ts";
import { UsualSpecies } from "./usual-species.tsx";

const NAME: Column<Category> = {
  name: "Name",
  cell: ({ id, name }) => (
    <a href={animalsPath({ category: String(id) })} aria-label={`Animals in ${name}`}>
      <bdi>{name}</bdi>
    </a>
  ),
};

const ACTIONS: Column<Category> = {
  name: "Actions",
  kind: "actions",
  cell: ({ id, name }) => (
    <>
      <a href={categoriesPath(id, "rename")} aria-label={`Rename ${name}`}>
        Rename
      </a>
      <a href={categoriesPath(id, "delete")} aria-label={`Delete ${name}`}>
        Delete
      </a>
    </>
  ),
};

const CategoryList = () => {
  const mayChange = useSession().can("pets:write");
  const found = useCategories();
  const queries = useQueryClient();
  const counts = useCounts().data;
  useLiveAnimals({ onGap: () => void reread(queries, ANIMALS) });
  const { length } = found.categories;
  const columns: readonly Column<Category>[] = [
    { name: "No.", kind: "number", cell: ({ id }) => id },
    NAME,
    {
      name: "Animals",
      kind: "number",
      // One that was just added has none.
      cell: ({ id }) => (counts ? formatCount(counts.get(id) ?? 0) : "–"),
    },
    ...(mayChange ? [ACTIONS] : []),
  ];
  return (
    <List
      found={found}
      items={found.categories}
      thing="category"
      things="categories"
      words={`${length < MAX_CATEGORIES ? "" : "The first "}${pluralize(length, "category", "categories")}`}
      purpose="Group animals by kind, such as dogs and cats."
      table={{ label: "Categories", kind: "categories", stackBelow: 34, columns, keyOf: byId }}
    />
  );
};

export const Categories = () => {
  const { id, part } = useRoute().params;
  const mayChange = useSession().can("pets:write");
  const chosen = idOf(id);
  return (
    <Page title="Categories" add={mayChange && { href: categoriesPath("new"), label: "Add category" }}>
      <UsualSpecies />
      <CategoryList />
      {mayChange && id === "new" && <NewCategory />}
      {mayChange && chosen !== undefined && part === "rename" && <RenameCategory key={chosen} id={chosen} />}
      {mayChange && chosen !== undefined && part === "delete" && <DeleteCategory key={chosen} id={chosen} />}
    </Page>
  );
};
