import { Empty } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/router.ts";
import { activityPath, filterOf } from "./addresses.ts";
import { Entries } from "./entries.tsx";
import { FilterForm } from "./filter.tsx";
import { useActivity } from "./queries.ts";
import { WORDS } from "./words.ts";

/** Who did what, and when: the audit log. */
export const Activity = () => {
  const { query } = useLocation();
  const filter = filterOf(query);
  const found = useActivity(filter);
  const isFiltered = Object.values(filter).some((one) => one !== undefined);
  return (
    <Page title={WORDS.title}>
      <FilterForm filter={filter} entries={found.items} />
      <List
        found={found}
        thing="entry"
        things="entries"
        empty={
          <Empty title={isFiltered ? WORDS.noMatch : WORDS.nothing}>
            {isFiltered && <a href={activityPath()}>{WORDS.showAll}</a>}
          </Empty>
        }
      >
        {(entries) => <Entries entries={entries} />}
      </List>
    </Page>
  );
};
