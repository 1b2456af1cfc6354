import { useQueryClient } from "@tanstack/preact-query";
import { useRoute } from "../parts/navigation.ts";
import { animalsPath } from "../animals/addresses.ts";
import { useLiveAnimals } from "../animals/live.ts";
import { ANIMALS } from "../animals/queries.ts";
import { formatCount, pluralize } from "../parts/wording.ts";
import { idOf } from "../parts/address.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { reread } from "../parts/reads.ts";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { type Category, categoriesPath } from "./category.ts";
import { DeleteCategory, NewCategory, RenameCategory } from "./dialogs.tsx";
import { useCategories, useCounts, MAX_CATEGORIES } from "./queries.ts";
import { UsualSpecies } from "./usual-species.tsx";
import { WORDS } from "./words.ts";

const Row = ({
  category: { id, name },
  count,
  mayChange,
}: {
  category: Category;
  /** How many animals it has; undefined while they are counted. */
  count: number | undefined;
  mayChange: boolean;
}) => (
  <tr>
    <td class="number" data-column={WORDS.number}>
      {id}
    </td>
    <td data-column={WORDS.name}>
      <a href={animalsPath({ category: String(id) })} aria-label={`Animals in ${name}`}>
        <bdi>{name}</bdi>
      </a>
    </td>
    <td class="number" data-column={WORDS.animals}>
      {count === undefined ? "–" : formatCount(count)}
    </td>
    {mayChange && (
      <td class="actions">
        <div>
          <a href={categoriesPath(id, "rename")} aria-label={`Rename ${name}`}>
            {WORDS.renameButton}
          </a>
          <a href={categoriesPath(id, "delete")} aria-label={`Delete ${name}`}>
            {WORDS.deleteButton}
          </a>
        </div>
      </td>
    )}
  </tr>
);

const CategoryList = () => {
  const mayChange = useSession().can("pets:write");
  const found = useCategories();
  const queries = useQueryClient();
  const counts = useCounts();
  useLiveAnimals({ onGap: () => void reread(queries, ANIMALS) });
  return (
    <List
      found={found}
      items={found.categories}
      thing="category"
      things="categories"
      words={`${found.categories.length < MAX_CATEGORIES ? "" : "The first "}${pluralize(found.categories.length, "category", "categories")}`}
      purpose="Group animals by kind, such as dogs and cats."
    >
      {(categories) => (
        <Table
          label={WORDS.title}
          kind="categories"
          stackBelow={34}
          columns={[
            { name: WORDS.number, kind: "number" },
            WORDS.name,
            { name: WORDS.animals, kind: "number" },
            ...(mayChange ? [{ name: "Actions", kind: "actions" as const }] : []),
          ]}
        >
          {categories.map((category) => (
            <Row
              key={category.id}
              category={category}
              // One that was just added has none.
              count={counts.data && (counts.data.get(category.id) ?? 0)}
              mayChange={mayChange}
            />
          ))}
        </Table>
      )}
    </List>
  );
};

/** The categories of animals. */
export const Categories = () => {
  const { id, part } = useRoute().params;
  const mayChange = useSession().can("pets:write");
  const chosen = idOf(id);
  return (
    <Page
      title={WORDS.title}
      actions={
        mayChange && (
          <a class="button" href={categoriesPath("new")}>
            {WORDS.add}
          </a>
        )
      }
    >
      <UsualSpecies />
      <CategoryList />
      {mayChange && id === "new" && <NewCategory />}
      {mayChange && chosen !== undefined && part === "rename" && <RenameCategory key={chosen} id={chosen} />}
      {mayChange && chosen !== undefined && part === "delete" && <DeleteCategory key={chosen} id={chosen} />}
    </Page>
  );
};
