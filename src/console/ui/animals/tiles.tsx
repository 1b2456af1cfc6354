import { formatCount } from "../parts/count.ts";
import { type View, animalsPath } from "./addresses.ts";
import { type Statistics, countOf } from "./statistics.ts";
import { STATUSES } from "./statuses.ts";
import { WORDS } from "./words.ts";

const TABS = [undefined, ...STATUSES];

/** A count. It takes the same space while it loads. */
const Count = ({ count }: { count: number | undefined }) => (
  <strong>{count === undefined ? "\u2013" : formatCount(count)}</strong>
);

/** How many animals of the search and the category have each status. Each count links to its animals. */
export const Tiles = ({ statistics, view }: { statistics: Statistics | undefined; view: View }) => (
  <nav class="tiles" aria-label={WORDS.tabs}>
    <ul>
      {TABS.map((status) => (
        <li key={status ?? ""}>
          <a
            href={animalsPath({ ...view, status })}
            aria-current={status === view.status ? "true" : undefined}
          >
            <span>{status ?? WORDS.all}</span> <Count count={statistics && countOf(statistics, status)} />
          </a>
        </li>
      ))}
      {(statistics?.byStatus.none ?? 0) > 0 && (
        <li class="plain">
          <span>{WORDS.noStatus}</span> <Count count={statistics?.byStatus.none} />
        </li>
      )}
    </ul>
  </nav>
);
