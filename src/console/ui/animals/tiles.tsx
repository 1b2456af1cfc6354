import { Count, CountTabs } from "../parts/tabs.tsx";
import { type View, animalsPath } from "./addresses.ts";
import { type Statistics, countOf } from "./statistics.ts";
import { STATUSES, STATUS_NAMES } from "./statuses.ts";
import { WORDS } from "./words.ts";

const TABS = [undefined, ...STATUSES];

/** How many animals of the search and the category have each status. Each count links to its animals. */
export const Tiles = ({ statistics, view }: { statistics: Statistics | undefined; view: View }) => (
  <CountTabs
    label={WORDS.tabs}
    tabs={TABS.map((status) => ({
      href: animalsPath({ ...view, status }),
      name: status ? STATUS_NAMES[status] : WORDS.all,
      isCurrent: status === view.status,
      count: statistics && countOf(statistics, status),
    }))}
  >
    {(statistics?.byStatus.none ?? 0) > 0 && (
      <li class="plain">
        <Count name={WORDS.noStatus} count={statistics?.byStatus.none} />
      </li>
    )}
  </CountTabs>
);
