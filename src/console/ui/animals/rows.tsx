import type { Int64 } from "../api/client.ts";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { Badge } from "../parts/feedback.tsx";
import { type Column, SelectCell, type Selection, Table } from "../parts/table.tsx";
import { useLocation } from "../parts/navigation.ts";
import { useSession } from "../session.tsx";
import { type Sort, type View, DEFAULT_SORT, animalPath, animalsPath, mayMatch } from "./addresses.ts";
import { type Animal, STATUS_NAMES, type Status, TONES } from "./animal.ts";
import { WORDS } from "./words.ts";

export const CategoryName = ({ id, categories }: { id: Int64; categories: readonly Category[] }) => {
  const known = categoryOf(categories, id);
  return known ? <bdi title={`${WORDS.columns.id} ${id}`}>{known.name}</bdi> : <>{WORDS.categoryNo(id)}</>;
};

export const StatusBadge = ({ status }: { status: Status | undefined }) =>
  status ? <Badge tone={TONES[status]}>{STATUS_NAMES[status]}</Badge> : <>–</>;

/** What may be done with an animal. `pathOf` gives the address of each dialog. */
export const AnimalLinks = ({
  animal: { id, name, status },
  pathOf,
  linkClass = "",
}: {
  animal: Animal;
  pathOf: (act: string) => string;
  linkClass?: string;
}) => {
  const { can } = useSession();
  return (
    <>
      {can("orders:write") && status === "available" && (
        <a class={linkClass} href={pathOf("adopt")} aria-label={`Adopt ${name}`}>
          Adopt
        </a>
      )}
      {can("orders:read") && status === "pending" && (
        <a class={linkClass} href={adoptionsPath({ animal: id })} aria-label={`Adoption of ${name}`}>
          Adoption
        </a>
      )}
      {can("pets:write") && (
        <>
          <a class={linkClass} href={pathOf("change")} aria-label={`Edit ${name}`}>
            Edit
          </a>
          <a class={linkClass} href={pathOf("delete")} aria-label={`Delete ${name}`}>
            {WORDS.delete}
          </a>
        </>
      )}
    </>
  );
};

const Row = ({
  animal,
  view,
  categories,
  isNew,
  selection,
}: {
  animal: Animal;
  view: View;
  categories: readonly Category[];
  isNew: boolean;
  selection: Selection;
}) => {
  const { id, name, status, categoryId } = animal;
  return (
    <tr
      data-id={id}
      class={[selection.isSelected(id) && "selected", !mayMatch(view, animal) && "left"]
        .filter(Boolean)
        .join(" ")}
    >
      <SelectCell selection={selection} id={id} name={name} />
      <td class="number" data-column="Number">
        {id}
      </td>
      <td data-column="Name">
        <a href={animalPath(id, view)}>
          <bdi>{name}</bdi>
        </a>{" "}
        {isNew && <Badge tone="good">new</Badge>}
      </td>
      <td data-column="Category">
        <span class="narrow" aria-hidden="true">
          {id} ·{" "}
        </span>
        <CategoryName id={categoryId} categories={categories} />
      </td>
      <td data-column="Status">
        <StatusBadge status={status} />
      </td>
      <td class="actions">
        <div>
          <AnimalLinks animal={animal} pathOf={(act) => animalsPath(view, id, act)} />
        </div>
      </td>
    </tr>
  );
};

const COLUMNS: readonly (string | Column<never>)[] = [
  { name: WORDS.columns.id, kind: "number", sort: "-id" },
  { name: "Name", sort: "name" },
  WORDS.columns.category,
  WORDS.columns.status,
  { name: "Actions", kind: "actions" },
];

/** A table of animals with their actions. Those with an id in `added` are marked as new. */
export const Rows = ({
  animals,
  added,
  categories,
  view,
  selection,
}: {
  animals: readonly Animal[];
  added: ReadonlySet<number>;
  categories: readonly Category[];
  view: View;
  selection: Selection;
}) => {
  const { route } = useLocation();
  return (
    <Table
      label={WORDS.title}
      kind="animals"
      stackBelow={48}
      columns={COLUMNS}
      sorting={{
        value: view.sort ?? DEFAULT_SORT,
        onSort: (sort) => route(animalsPath({ ...view, sort: sort as Sort })),
      }}
      selection={selection}
    >
      {animals.map((animal) => (
        <Row
          key={animal.id}
          animal={animal}
          view={view}
          categories={categories}
          isNew={added.has(animal.id)}
          selection={selection}
        />
      ))}
    </Table>
  );
};
