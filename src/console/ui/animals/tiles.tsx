import { formatCount } from "../parts/count.ts";
import { type Statistics, countOf } from "./statistics.ts";
import { type Filter, animalsPath } from "./addresses.ts";
import { STATUSES } from "./statuses.ts";

const FILTERS = [undefined, ...STATUSES];

/** A count. It takes the same space while it loads. */
const Count = ({ count }: { count: number | undefined }) => (
  <strong>{count === undefined ? "\u2013" : formatCount(count)}</strong>
);

/** How many animals have each status. Each count links to its animals. */
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
        <span>no status</span>
      </li>
    </ul>
  </nav>
);
