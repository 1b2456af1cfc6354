import type { ComponentChildren } from "preact";
import { Scroll } from "./scroll.tsx";

/** What stands above a column; `number`: set as one; `actions`: for who cannot see what is in it. */
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

/** A table that scrolls by itself where it is wider than the page. Its children are its rows. */
export const Table = ({
  label,
  columns,
  kind = "",
  children,
}: {
  /** What it says. */
  label: string;
  columns: readonly Column[];
  /** Classes; with `stack` each row is a list of its cells where the page is narrow, by their `data-column`. */
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
