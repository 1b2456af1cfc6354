import { useId } from "preact/hooks";
import { formatCount } from "../parts/count.ts";
import { Table } from "../parts/table.tsx";
import { type Day, barsOf, dayName, summaryOf } from "./statistics.ts";

const Bars = ({ days, describedBy }: { days: readonly Day[]; describedBy: string }) => (
  // Stretched to fit: it contains no text.
  <svg
    viewBox={`0 0 ${days.length || 1} 1`}
    preserveAspectRatio="none"
    role="img"
    aria-label="Animals added on each day"
    aria-describedby={describedBy}
  >
    {barsOf(days).map(({ day, ...place }) => (
      <rect key={day.date} {...place}>
        <title>{`${dayName(day.date)}: ${formatCount(day.count)}`}</title>
      </rect>
    ))}
  </svg>
);

const DaysTable = ({ days }: { days: readonly Day[] }) => (
  <details>
    <summary>Show as a table</summary>
    <Table label="Animals added on each day" columns={["Day (UTC)", { name: "Added", kind: "number" }]}>
      {days.toReversed().map(({ date, count }) => (
        <tr key={date}>
          <td>{dayName(date)}</td>
          <td class="number">{formatCount(count)}</td>
        </tr>
      ))}
    </Table>
  </details>
);

/** How many animals were added on each of the last days, as a chart, a sentence and a table. */
export const Chart = ({ days = [] }: { days: readonly Day[] | undefined }) => {
  const [first] = days;
  const id = useId();
  return (
    <section class="added" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Added in the last 30 days</h2>
      <p id={id}>{first ? summaryOf(days) : "Counting…"}</p>
      <Bars days={days} describedBy={id} />
      <p class="ends" aria-hidden="true">
        <span>{first ? dayName(first.date) : "\u00a0"}</span>
        <span>{first ? "today" : ""}</span>
      </p>
      <DaysTable days={days} />
    </section>
  );
};
