import { formatCount } from "../parts/count.ts";
import { type Statistics, countOf } from "./statistics.ts";
import { type Filter, animalsPath } from "./addresses.ts";
import { STATUSES } from "./statuses.ts";

const FILTERS = [undefined, ...STATUSES];

/** Takes as much room before it is known. */
const Count = ({ count }: { count: number | undefined }) => (
  <strong>{count === undefined ? "\u2013" : formatCount(count)}</strong>
);

/** How many animals there are of each status; each count leads to its animals. */
export const Tiles = ({ statistics, filter }: { statistics: Statistics | undefined; filter: Filter }) => (
  <nav class="tiles" aria-label="Animals by status">
    <ul>
      {FILTERS.map((status) => (
        <li key={status ?? ""}>
          <a
            href={animalsPath({ ...filter, status, id: undefined })}
            aria-current={status === filter.status ? "true" : undefined}
          >
            <Count count={statistics && countOf(statistics, status)} />
            <span>{status ?? "all"}</span>
          </a>
        </li>
      ))}
      <li class="plain">
        <Count count={statistics?.byStatus.none} />
        <span>without a status</span>
      </li>
    </ul>
  </nav>
);
