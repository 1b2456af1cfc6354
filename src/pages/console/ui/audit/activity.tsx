import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { List } from "../parts/table.tsx";
import { Empty, Page, Time } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { type Filter, activityPath, filterOf, pageOfResource, useActivity, useHistory } from "./queries.ts";
import {
  ACTOR_TITLES,
  type Actor,
  type Entry,
  KINDS,
  OWN_VERBS,
  type Resource,
  actorWords,
  belongsTo,
  changeWords,
  isChange,
  isEnd,
  isOwn,
  resourceWords,
  verbOf,
} from "./words.ts";
import { SelectField, TextField } from "../parts/form.tsx";
import { useLocation } from "../parts/navigation.ts";

/** Who did it. With the right to read the log, a link to everything that they did. */
const Who = ({ actor }: { actor: Actor }) => {
  const mayRead = useSession().can("audit:read");
  const title = ACTOR_TITLES[actor.kind];
  // A name may contain characters that change the direction of the text after it.
  const words = <bdi>{actorWords(actor)}</bdi>;
  if (!mayRead) return <strong title={title}>{words}</strong>;
  const { kind, id } = actor;
  return (
    <a href={activityPath({ actor: id === undefined ? kind : `${kind}:${id}` })} title={title}>
      {words}
    </a>
  );
};

/** The changed resource, with a link if it still exists and the reader may see it. */
const What = ({ resource, isGone }: { resource: Resource; isGone: boolean }) => {
  const { can } = useSession();
  const page = pageOfResource(resource);
  const words = <bdi>{resourceWords(resource)}</bdi>;
  return (
    <>
      {page && !isGone && can(page.scope) ? <a href={page.href}>{words}</a> : words}
      <bdi>{belongsTo(resource)}</bdi>
    </>
  );
};

const Entries = ({ entries }: { entries: readonly Entry[] }) => {
  const { categories } = useCategories();
  const nameOf = (id: string) => categoryOf(categories, id)?.name ?? id;
  return (
    <ol class="entries bare">
      {entries.map(({ id, at, actor, action, resource, changes }) => (
        <li key={id}>
          <p>
            <Who actor={actor} />{" "}
            {(isOwn({ actor, resource }) && OWN_VERBS[action]) || (
              <>
                {verbOf(action)} <What resource={resource} isGone={isEnd(action)} />
              </>
            )}
          </p>
          {changes.map((change) => (
            <p key={change.field} class="change">
              <bdi>{changeWords(change, isChange(action), nameOf)}</bdi>
            </p>
          ))}
          <small>
            <Time at={at} />
          </small>
        </li>
      ))}
    </ol>
  );
};

interface HistoryProps {
  resource: Parameters<typeof useHistory>[0];
  id: number | string;
}

/**
 * A resource's history, newest first: actors, actions and times. Any page can show it.
 *
 *     <History resource="pet" id={7} />
 *     <History resource="project" id="docs" />
 */
export const History = ({ resource, id }: HistoryProps) => {
  const found = useHistory(resource, id);
  return (
    <section class="history" aria-label="History">
      <h2>History</h2>
      <List
        found={found}
        thing="entry"
        things="entries"
        empty={<p class="explained">Nothing has been recorded yet.</p>}
      >
        {(entries) => <Entries entries={entries} />}
      </List>
    </section>
  );
};

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
        <TextField type="date" label="From" value={since} onValue={(since) => show({ since })} />
        <TextField type="date" label="To" value={until} onValue={(until) => show({ until })} />
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
