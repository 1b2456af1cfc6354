import type { Int64 } from "../api/client.ts";
import { adoptionsPath } from "../adoptions/order.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { Badge } from "../parts/page.tsx";
import { Cells, type Column, SelectCell, type Selection, type TableProps, byId } from "../parts/table.tsx";
import { useLocation } from "../parts/navigation.ts";
import { useSession } from "../session.tsx";
import {
  type Animal,
  DEFAULT_SORT,
  STATUS_NAMES,
  type Sort,
  type Status,
  TONES,
  type View,
  animalPath,
  animalsPath,
  categoryNo,
  mayMatch,
} from "./animal.ts";

export const CategoryName = ({ id, categories }: { id: Int64; categories: readonly Category[] }) => {
  const known = categoryOf(categories, id);
  return known ? <bdi title={`No. ${id}`}>{known.name}</bdi> : <>{categoryNo(id)}</>;
};

export const StatusBadge = ({ status }: { status: Status | undefined }) =>
  status ? <Badge tone={TONES[status]}>{STATUS_NAMES[status]}</Badge> : <>–</>;

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
  const link = (href: string, label: string, title = `${label} ${name}`) => (
    <a class={linkClass} href={href} aria-label={title}>
      {label}
    </a>
  );
  return (
    <>
      {can("orders:write") && status === "available" && link(pathOf("adopt"), "Adopt")}
      {can("orders:read") &&
        status === "pending" &&
        link(adoptionsPath({ animal: id }), "Adoption", `Adoption of ${name}`)}
      {can("pets:write") && (
        <>
          {link(pathOf("change"), "Edit")}
          {link(pathOf("delete"), "Delete")}
        </>
      )}
    </>
  );
};

/** The table of animals with their actions. Those with an id in `added` are marked as new. */
export const useTable = (
  view: View,
  added: ReadonlySet<number>,
  categories: readonly Category[],
  selection: Selection,
): Omit<TableProps<Animal>, "items"> => {
  const { route } = useLocation();
  const columns: readonly Column<Animal>[] = [
    { name: "No.", kind: "number", sort: "-id", cell: ({ id }) => id },
    {
      name: "Name",
      sort: "name",
      cell: ({ id, name }) => (
        <>
          <a href={animalPath(id, view)}>
            <bdi>{name}</bdi>
          </a>{" "}
          {added.has(id) && <Badge tone="good">new</Badge>}
        </>
      ),
    },
    {
      name: "Category",
      cell: ({ id, categoryId }) => (
        <>
          <span class="narrow" aria-hidden="true">
            {id} ·{" "}
          </span>
          <CategoryName id={categoryId} categories={categories} />
        </>
      ),
    },
    { name: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      name: "Actions",
      kind: "actions",
      cell: (animal) => <AnimalLinks animal={animal} pathOf={(act) => animalsPath(view, animal.id, act)} />,
    },
  ];
  const classOf = (animal: Animal) =>
    [selection.isSelected(animal.id) && "selected", !mayMatch(view, animal) && "left"]
      .filter(Boolean)
      .join(" ");
  return {
    label: "Animals",
    kind: "animals",
    stackBelow: 48,
    columns,
    keyOf: byId,
    row: (animal) => (
      <tr data-id={animal.id} class={classOf(animal)}>
        <SelectCell selection={selection} id={animal.id} name={animal.name} />
        <Cells columns={columns} item={animal} />
      </tr>
    ),
    sorting: {
      value: view.sort ?? DEFAULT_SORT,
      onSort: (sort) => route(animalsPath({ ...view, sort: sort as Sort })),
    },
    selection,
  };
};
