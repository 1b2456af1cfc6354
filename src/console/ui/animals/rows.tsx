import { useLocation } from "preact-iso";
import { Badge } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import type { Animal } from "./statistics.ts";
import { TONES } from "./statuses.ts";

const Row = ({
  animal: { id, name, categoryId, status },
  isNew,
  mayChange,
  search,
}: {
  animal: Animal;
  isNew: boolean;
  mayChange: boolean;
  search: string;
}) => (
  <tr>
    <td class="number" data-column="Id">
      {id}
    </td>
    <td data-column="Name">
      <div>
        <bdi>{name}</bdi> {isNew && <Badge tone="good">new</Badge>}
      </div>
    </td>
    <td class="number" data-column="Category">
      {String(categoryId)}
    </td>
    <td data-column="Status">{status ? <Badge tone={TONES[status]}>{status}</Badge> : "–"}</td>
    {mayChange && (
      <td class="actions">
        <a href={`/console/animals/${id}/change${search}`} aria-label={`Change ${name}`}>
          Change
        </a>
      </td>
    )}
  </tr>
);

/** Animals as a table, with what can be done to each; those with an id in `added` are marked. */
export const Rows = ({ animals, added }: { animals: readonly Animal[]; added: ReadonlySet<number> }) => {
  const mayChange = useSession().can("pets:write");
  const { status } = useLocation().query;
  const search = status ? `?status=${status}` : "";
  return (
    <Table
      label="Animals"
      kind="stack"
      columns={[
        { name: "Id", kind: "number" },
        "Name",
        { name: "Category", kind: "number" },
        "Status",
        ...(mayChange ? [{ name: "What to do", kind: "actions" as const }] : []),
      ]}
    >
      {animals.map((animal) => (
        <Row
          key={animal.id}
          animal={animal}
          isNew={added.has(animal.id)}
          mayChange={mayChange}
          search={search}
        />
      ))}
    </Table>
  );
};
