import { useId, useState } from "preact/hooks";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { UsualSpecies } from "../categories/categories.tsx";
import { formatCount } from "../parts/wording.ts";
import { Count, CountTabs, Empty, Page, Problem } from "../parts/page.tsx";
import { SearchField, Select } from "../parts/form.tsx";
import { idOf, isOnPage } from "../parts/address.ts";
import { useLocation, useRoute } from "../parts/navigation.ts";
import { type Column, List, Table, useSelection } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import {
  type Day,
  type Filter,
  NO_STATUS,
  STATUSES,
  STATUS_NAMES,
  type Statistics,
  type View,
  animalsPath,
  barsOf,
  categoryNo,
  countOf,
  dayName,
  isNarrow,
  mayMatch,
  summaryOf,
  viewOf,
} from "./animal.ts";
import { type Outcome, itemsOf } from "./changes.ts";
import { AddAnimal, AnimalDialog, ImportAnimals } from "./dialogs.tsx";
import { useLiveList } from "./live.ts";
import { AnimalPage } from "./page.tsx";
import { useAnimals, useStatistics } from "./queries.ts";
import { useTable } from "./rows.tsx";
import { BulkDialog, Failures, SelectionBar } from "./selection.tsx";

const TABS = [undefined, ...STATUSES];

/** How many animals of the search and the category have each status. Each count links to its animals. */
const Tiles = ({ statistics, view }: { statistics: Statistics | undefined; view: View }) => (
  <CountTabs
    label="Animals by status"
    tabs={TABS.map((status) => ({
      href: animalsPath({ ...view, status }),
      name: status ? STATUS_NAMES[status] : "all",
      isCurrent: status === view.status,
      count: statistics && countOf(statistics, status),
    }))}
  >
    {(statistics?.byStatus.none ?? 0) > 0 && (
      <li class="plain">
        <Count name={NO_STATUS} count={statistics?.byStatus.none} />
      </li>
    )}
  </CountTabs>
);

/** The search and the filter by category. They are kept in the address; typing replaces it. */
const FilterForm = ({ view }: { view: View }) => {
  const { route } = useLocation();
  const { categories } = useCategories();
  const { q = "", category = "" } = view;
  const isUnknown = category !== "" && !categoryOf(categories, category);
  return (
    <div class="filter">
      <SearchField
        label="Search by name or number"
        placeholder="Name or no."
        q={q.trim()}
        search={(q) => route(animalsPath({ ...view, q }), true)}
      />
      <Select
        aria-label="Category"
        value={category}
        options={[
          ["", "All categories"],
          ...(isUnknown ? [[category, categoryNo(category)] as const] : []),
          ...categories.map(({ id, name }) => [String(id), name] as const),
        ]}
        onValue={(category) => route(animalsPath({ ...view, category }))}
      />
    </div>
  );
};

const Arrivals = ({ count, isMany, show }: { count: number; isMany: boolean; show: () => void }) => (
  <div class="arrivals" role="status">
    {count > 0 && (
      <p class="notice good">
        {isMany ? "Many more animals" : `${formatCount(count)} more ${count === 1 ? "animal" : "animals"}`}{" "}
        <button type="button" class="link" onClick={show}>
          Show
        </button>
      </p>
    )}
  </div>
);

const CHART = "Animals added on each day";

const Bars = ({ days, describedBy }: { days: readonly Day[]; describedBy: string }) => (
  // Stretched to fit: it contains no text.
  <svg
    viewBox={`0 0 ${days.length || 1} 1`}
    preserveAspectRatio="none"
    role="img"
    aria-label={CHART}
    aria-describedby={describedBy}
  >
    {barsOf(days).map(({ day, ...place }) => (
      <rect key={day.date} {...place}>
        <title>{`${dayName(day.date)}: ${formatCount(day.count)}`}</title>
      </rect>
    ))}
  </svg>
);

const DAYS: readonly Column<Day>[] = [
  { name: "Day (UTC)", cell: ({ date }) => dayName(date) },
  { name: "Added", kind: "number", cell: ({ count }) => formatCount(count) },
];

const Days = ({ days = [] }: { days: readonly Day[] | undefined }) => {
  const [first] = days;
  const id = useId();
  return (
    <>
      <p id={id}>{first ? summaryOf(days) : "Counting…"}</p>
      <Bars days={days} describedBy={id} />
      <p class="ends" aria-hidden="true">
        <span>{first ? dayName(first.date) : "\u00a0"}</span>
        <span>{first ? "today" : ""}</span>
      </p>
      <details>
        <summary>Show as table</summary>
        <Table label={CHART} columns={DAYS} items={days.toReversed()} keyOf={({ date }) => date} />
      </details>
    </>
  );
};

/** How many animals were added on each of the last days: folded, as a chart, a sentence and a table. */
const Chart = ({ filter }: { filter: Filter }) => {
  const { data, error, refetch } = useStatistics(filter);
  return (
    <details class="added">
      <summary>Added in the last 30 days</summary>
      {error && !data ? (
        <Problem error={`The animals could not be counted. ${error.message}`} onRetry={refetch} />
      ) : (
        <Days days={data?.addedByDay} />
      )}
    </details>
  );
};

const EmptyList = ({ view }: { view: View }) => {
  const mayAdd = useSession().can("pets:write");
  const { status } = view;
  if (status || isNarrow(view))
    return (
      <Empty title={isNarrow(view) || !status ? "No animals found" : `No ${STATUS_NAMES[status]} animals`}>
        <a href={animalsPath()}>Show all animals</a>
      </Empty>
    );
  return (
    <>
      <Empty title="No animals yet">
        {mayAdd && (
          <div class="buttons">
            <a class="button" href={animalsPath(view, "new")}>
              Add an animal
            </a>
            <a class="button secondary outline" href={animalsPath(view, "import")}>
              Import a spreadsheet
            </a>
          </div>
        )}
      </Empty>
      <UsualSpecies />
    </>
  );
};

const AnimalList = () => {
  const { query } = useLocation();
  const { part, act } = useRoute().params;
  const { can } = useSession();
  const view = viewOf(query);
  const found = useAnimals(view);
  const { data: statistics } = useStatistics(view);
  const { categories, isLoading } = useCategories();
  const live = useLiveList(view, found.isPlaceholderData ? undefined : found.data);
  const animals = itemsOf(found.data);
  // Another filter selects nothing; another order changes nothing.
  const selection = useSelection(
    animals.map(({ id }) => id),
    JSON.stringify([view.status, view.q, view.category]),
  );
  const selected = animals.filter(({ id }) => selection.isSelected(id));
  const [outcome, setOutcome] = useState<Outcome>();
  const id = idOf(part);
  const back = animalsPath(view);
  return (
    <Page
      title="Animals"
      part={view.status && STATUS_NAMES[view.status]}
      add={can("pets:write") && { href: animalsPath(view, "new"), label: "Add animal" }}
    >
      <div class="finding">
        <Tiles statistics={statistics} view={view} />
        <FilterForm view={view} />
      </div>
      {outcome && <Failures outcome={outcome} onClose={() => setOutcome(undefined)} />}
      <Arrivals {...live} />
      <List
        found={found}
        items={animals}
        thing={view.status ? `${STATUS_NAMES[view.status]} animal` : "animal"}
        shown={animals.filter((animal) => mayMatch(view, animal)).length}
        all={statistics && countOf(statistics, view.status)}
        empty={<EmptyList view={view} />}
        isWaiting={isLoading}
        table={useTable(view, live.fresh, categories, selection)}
      />
      <SelectionBar selected={selected} view={view} onClear={selection.clear} />
      <Chart filter={view} />
      {part === "new" && act === undefined && can("pets:write") && (
        <AddAnimal view={view} onAdded={live.add} />
      )}
      {part === "import" && can("pets:write") && <ImportAnimals back={back} />}
      {part === "selected" && can("pets:write") && (
        <BulkDialog
          act={act}
          selected={selected}
          back={back}
          onDone={(outcome) => {
            const { failed } = outcome;
            setOutcome(failed.length > 0 ? outcome : undefined);
            selection.clear();
            for (const { animal } of failed) selection.toggle(animal.id, false);
          }}
        />
      )}
      {id !== undefined && <AnimalDialog id={id} act={act} back={back} />}
    </Page>
  );
};

export const Animals = () => {
  const { query } = useLocation();
  const { part, act } = useRoute().params;
  const id = idOf(part);
  return id !== undefined && (act === undefined || isOnPage(query)) ? (
    <AnimalPage key={id} id={id} act={act} />
  ) : (
    <AnimalList />
  );
};
