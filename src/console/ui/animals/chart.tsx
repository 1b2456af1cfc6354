import { useId } from "preact/hooks";
import { formatCount } from "../parts/count.ts";
import { Problem } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import type { Filter } from "./addresses.ts";
import { useStatistics } from "./queries.ts";
import { type Day, barsOf, dayName, summaryOf } from "./statistics.ts";
import { WORDS } from "./words.ts";

const Bars = ({ days, describedBy }: { days: readonly Day[]; describedBy: string }) => (
  // Stretched to fit: it contains no text.
  <svg
    viewBox={`0 0 ${days.length || 1} 1`}
    preserveAspectRatio="none"
    role="img"
    aria-label={WORDS.chartLabel}
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
    <summary>{WORDS.chartTable}</summary>
    <Table label={WORDS.chartLabel} columns={[WORDS.day, { name: WORDS.added, kind: "number" }]}>
      {days.toReversed().map(({ date, count }) => (
        <tr key={date}>
          <td>{dayName(date)}</td>
          <td class="number">{formatCount(count)}</td>
        </tr>
      ))}
    </Table>
  </details>
);

const Days = ({ days = [] }: { days: readonly Day[] | undefined }) => {
  const [first] = days;
  const id = useId();
  return (
    <>
      <p id={id}>{first ? summaryOf(days) : WORDS.counting}</p>
      <Bars days={days} describedBy={id} />
      <p class="ends" aria-hidden="true">
        <span>{first ? dayName(first.date) : "\u00a0"}</span>
        <span>{first ? WORDS.today : ""}</span>
      </p>
      <DaysTable days={days} />
    </>
  );
};

/** How many animals were added on each of the last days: folded, as a chart, a sentence and a table. */
export const Chart = ({ filter }: { filter: Filter }) => {
  const { data, error, refetch } = useStatistics(filter);
  return (
    <details class="added">
      <summary>{WORDS.chart}</summary>
      {error && !data ? (
        <Problem error={new Error(WORDS.notCounted(error.message))} onRetry={refetch} />
      ) : (
        <Days days={data?.addedByDay} />
      )}
    </details>
  );
};
