import type { ComponentChildren } from "preact";
import { Scroll } from "./scroll.tsx";

/** The heading of a column. `number` aligns right; `actions` is shown to screen readers only. */
type Column = string | { name: string; kind: "number" | "actions" };

const Heading = ({ column }: { column: Column }) => {
  if (typeof column === "string") return <th scope="col">{column}</th>;
  const { name, kind } = column;
  if (kind === "number")
    return (
      <th scope="col" class="number">
        {name}
      </th>
    );
  return (
    <th scope="col">
      <span class="visually-hidden">{name}</span>
    </th>
  );
};

/** A table that scrolls if it is wider than the page. Its children are the rows. */
export const Table = ({
  label,
  columns,
  kind = "",
  children,
}: {
  /** What the table shows, for screen readers. */
  label: string;
  columns: readonly Column[];
  /** Classes. With `stack`, each row becomes a list of its cells on narrow pages, labelled by `data-column`. */
  kind?: string;
  children: ComponentChildren;
}) => (
  <Scroll label={label}>
    <table class={kind}>
      <thead>
        <tr>
          {columns.map((column, at) => (
            <Heading key={at} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </Scroll>
);
