import { Empty } from "../parts/feedback.tsx";
import { Field } from "../parts/form.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/navigation.ts";
import { type Filter, activityPath, filterOf, useActivity } from "./queries.ts";
import { Entries } from "./entries.tsx";
import type { Entry, Kind } from "./entry.ts";
import { KINDS, WORDS, actorWords, resourceWords } from "./words.ts";

const ACTORS = [
  ["", "Everybody"],
  ["person", "People"],
  ["key", "Keys"],
  ["operator", "The operator"],
  ["service", "The service"],
] as const;

const kindOf = (filter: string | undefined): string => filter?.split(":")[0] ?? "";
const isOne = (filter: string | undefined): boolean => filter?.includes(":") ?? false;

const Choice = ({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
  onChoose: (value: string) => void;
}) => (
  <Field label={label}>
    {(tied) => (
      <select {...tied} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    )}
  </Field>
);

const Day = ({
  label,
  value,
  onChoose,
}: {
  label: string;
  value: string;
  onChoose: (day: string) => void;
}) => (
  <Field label={label}>
    {(tied) => (
      <input {...tied} type="date" value={value} onChange={(event) => onChoose(event.currentTarget.value)} />
    )}
  </Field>
);

/** Which single actor or resource the filter names, in words. The entries that it finds know their names. */
const Narrow = ({ filter, entries }: { filter: Filter; entries: readonly Entry[] }) => {
  const { actor, resource } = filter;
  const first = entries[0];
  return (
    <>
      {isOne(actor) && (
        <p>
          {`Only what ${first ? actorWords(first.actor) : (actor ?? "")} did.`}{" "}
          <a href={activityPath({ ...filter, actor: undefined })}>{WORDS.showAll}</a>
        </p>
      )}
      {isOne(resource) && (
        <p>
          {`Only what happened to ${first ? resourceWords(first.resource) : (resource ?? "")}.`}{" "}
          <a href={activityPath({ ...filter, resource: undefined })}>{WORDS.showAll}</a>
        </p>
      )}
    </>
  );
};

/** The filter. It is kept in the address. */
const FilterForm = ({ filter, entries }: { filter: Filter; entries: readonly Entry[] }) => {
  const { route } = useLocation();
  const show = (change: Filter) => route(activityPath({ ...filter, ...change }));
  const kinds = Object.entries(KINDS) as [Kind, string][];
  return (
    <>
      <div class="activity-filter">
        <Choice
          label="Who"
          value={kindOf(filter.actor)}
          options={ACTORS}
          onChoose={(actor) => show({ actor })}
        />
        <Choice
          label="What"
          value={kindOf(filter.resource)}
          options={[["", "Everything"], ...kinds]}
          onChoose={(resource) => show({ resource })}
        />
        <Day label="From" value={filter.since ?? ""} onChoose={(since) => show({ since })} />
        <Day label="To" value={filter.until ?? ""} onChoose={(until) => show({ until })} />
      </div>
      <Narrow filter={filter} entries={entries} />
    </>
  );
};

/** Who did what, and when: the audit log. */
export const Activity = () => {
  const { query } = useLocation();
  const filter = filterOf(query);
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
            {isFiltered && <a href={activityPath()}>{WORDS.showAll}</a>}
          </Empty>
        }
      >
        {(entries) => <Entries entries={entries} />}
      </List>
    </Page>
  );
};
