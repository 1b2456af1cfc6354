import { Empty } from "../parts/feedback.tsx";
import { SelectField, TextField } from "../parts/form.tsx";
import { List } from "../parts/table.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/navigation.ts";
import { type Filter, activityPath, filterOf, useActivity } from "./queries.ts";
import { Entries } from "./entries.tsx";
import { type Entry, KINDS, actorWords, resourceWords } from "./words.ts";

const ACTORS = [
  ["", "Everybody"],
  ["person", "People"],
  ["key", "Keys"],
  ["operator", "The operator"],
  ["service", "The service"],
] as const;

const RESOURCES = [["", "Everything"] as const, ...Object.entries(KINDS)];

const kindOf = (filter = ""): string => filter.split(":")[0] ?? "";
const isOne = (filter = ""): boolean => filter.includes(":");

const Day = (field: { label: string; value: string; onValue: (day: string) => void }) => (
  <TextField type="date" {...field} />
);

const Narrow = ({ what, wider }: { what: string; wider: Filter }) => (
  <p>
    {what} <a href={activityPath(wider)}>Show all</a>
  </p>
);

/** The filter. It is kept in the address. The entries know the name of a single actor or resource. */
const FilterForm = ({ filter, entries: [first] }: { filter: Filter; entries: readonly Entry[] }) => {
  const { route } = useLocation();
  const { actor, resource, since = "", until = "" } = filter;
  const show = (change: Filter) => route(activityPath({ ...filter, ...change }));
  return (
    <>
      <div class="activity-filter">
        <SelectField
          label="Who"
          value={kindOf(actor)}
          options={ACTORS}
          onValue={(actor) => show({ actor })}
        />
        <SelectField
          label="What"
          value={kindOf(resource)}
          options={RESOURCES}
          onValue={(resource) => show({ resource })}
        />
        <Day label="From" value={since} onValue={(since) => show({ since })} />
        <Day label="To" value={until} onValue={(until) => show({ until })} />
      </div>
      {isOne(actor) && (
        <Narrow
          what={`Only what ${first ? actorWords(first.actor) : actor} did.`}
          wider={{ ...filter, actor: undefined }}
        />
      )}
      {isOne(resource) && (
        <Narrow
          what={`Only what happened to ${first ? resourceWords(first.resource) : resource}.`}
          wider={{ ...filter, resource: undefined }}
        />
      )}
    </>
  );
};

/** Who did what, and when: the audit log. */
export const Activity = () => {
  const filter = filterOf(useLocation().query);
  const found = useActivity(filter);
  const isFiltered = Object.values(filter).some((one) => one !== undefined);
  return (
    <Page title="Activity">
      <FilterForm filter={filter} entries={found.items} />
      <List
        found={found}
        thing="entry"
        things="entries"
        empty={
          <Empty title={isFiltered ? "Nothing matches these filters" : "Nothing has been recorded"}>
            {isFiltered && <a href={activityPath()}>Show all</a>}
          </Empty>
        }
      >
        {(entries) => <Entries entries={entries} />}
      </List>
    </Page>
  );
};
