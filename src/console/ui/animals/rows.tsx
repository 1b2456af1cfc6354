import type { Int64 } from "../api/client.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { Badge } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { type Filter, animalsPath } from "./addresses.ts";
import type { Animal } from "./statistics.ts";
import { TONES } from "./statuses.ts";

const CategoryName = ({ id, categories }: { id: Int64; categories: readonly Category[] }) => {
  const known = categoryOf(categories, id);
  return known ? <bdi title={`Id ${id}`}>{known.name}</bdi> : <>{String(id)}</>;
};

const Actions = ({ animal: { id, name, status }, filter }: { animal: Animal; filter: Filter }) => {
  const { can } = useSession();
  return (
    <div>
      {can("orders:write") && status === "available" && (
        <a href={animalsPath(filter, id, "adopt")} aria-label={`Adopt ${name}`}>
          Adopt
        </a>
      )}
      {can("orders:read") && status === "pending" && (
        <a href={adoptionsPath({ animal: id })} aria-label={`Adoption of ${name}`}>
          Adoption
        </a>
      )}
      {can("pets:write") && (
        <>
          <a href={animalsPath(filter, id, "change")} aria-label={`Change ${name}`}>
            Change
          </a>
          <a href={animalsPath(filter, id, "delete")} aria-label={`Delete ${name}`}>
            Delete
          </a>
        </>
      )}
    </div>
  );
};

/** A table of animals with their actions. Those with an id in `added` are marked as new. */
export const Rows = ({
  animals,
  added,
  categories,
  filter,
}: {
  animals: readonly Animal[];
  added: ReadonlySet<number>;
  categories: readonly Category[];
  filter: Filter;
}) => {
  const { can } = useSession();
  const hasActions = can("pets:write") || can("orders:read") || can("orders:write");
  return (
    <Table
      label="Animals"
      kind="stack"
      columns={[
        { name: "Id", kind: "number" },
        "Name",
        "Category",
        "Status",
        ...(hasActions ? [{ name: "Actions", kind: "actions" as const }] : []),
      ]}
    >
      {animals.map((animal) => (
        <tr key={animal.id}>
          <td class="number" data-column="Id">
            {animal.id}
          </td>
          <td data-column="Name">
            <div>
              <bdi>{animal.name}</bdi> {added.has(animal.id) && <Badge tone="good">new</Badge>}
            </div>
          </td>
          <td data-column="Category">
            <CategoryName id={animal.categoryId} categories={categories} />
          </td>
          <td data-column="Status">
            {animal.status ? <Badge tone={TONES[animal.status]}>{animal.status}</Badge> : "–"}
          </td>
          {hasActions && (
            <td class="actions">
              <Actions animal={animal} filter={filter} />
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
};
