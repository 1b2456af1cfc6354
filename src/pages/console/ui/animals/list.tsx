import { Fragment } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { type Category, categoryOf } from "../categories/category.ts";
import { useCategories, useCustomFields } from "../categories/queries.ts";
import { Dialog, DialogForm } from "../parts/dialog.tsx";
import { Check, SearchField, Select, useDraft } from "../parts/form.tsx";
import { idOf, integerOf, isOnPage } from "../parts/address.ts";
import { download } from "../parts/download.ts";
import { useLocation, useRoute } from "../parts/navigation.ts";
import { useAction } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import { useAnimalActions, useAnimals, useStatistics } from "./queries.ts";
import {
  type Animal,
  type AnimalChange,
  DEFAULT_SORT,
  type Day,
  FIELDS,
  type Filter,
  NO_STATUS,
  STATUSES,
  STATUS_NAMES,
  type Sort,
  type View,
  animalPath,
  animalsPath,
  barsOf,
  categoryNo,
  countOf,
  dayName,
  isNarrow,
  isStatus,
  mayMatch,
  chartWords,
  viewOf,
} from "./animal.ts";
import { Picture } from "./picture.tsx";
import { type Member, chosenFacts, factOf, factsWith, summaryOf, toggleFact } from "./profile.ts";
import { type Outcome, csvOf, failureWords, reasonOf } from "./changes.ts";
import { itemsOf } from "../parts/records.ts";
import { Menu } from "../parts/menu.tsx";
import { useStored } from "../parts/stored.ts";
import {
  AddAnimal,
  AnimalDialog,
  AnimalLinks,
  CategoryField,
  CategoryName,
  StatusBadge,
  StatusField,
} from "./dialogs.tsx";
import { formatCount, pluralize } from "../parts/wording.ts";
import { Badge, Count, CountTabs, Empty, Page, Problem } from "../parts/page.tsx";
import {
  Cells,
  type Column,
  List,
  SelectCell,
  type Selection,
  Table,
  type TableProps,
  byId,
  useSelection,
} from "../parts/table.tsx";
import { UsualSpecies } from "../categories/categories.tsx";
import { useLiveList } from "./live.ts";
import { ImportAnimals } from "./import.tsx";
import { AnimalPage } from "./page.tsx";

interface SelectionBarProps {
  selected: readonly Animal[];
  view: View;
  onClear: () => void;
}

/** The actions on the selected animals. It stays at the bottom of the window. */
const SelectionBar = ({ selected, view, onClear }: SelectionBarProps) => {
  const { can } = useSession();
  const { categories } = useCategories();
  if (selected.length === 0) return null;
  return (
    <section class="selection" aria-label="Selected animals">
      <strong role="status">{pluralize(selected.length, "animal")} selected</strong>
      <button type="button" class="small secondary outline" onClick={onClear}>
        Clear
      </button>
      {can("pets:write") &&
        ["status", "category"].map((field) => (
          <a key={field} class="button small secondary outline" href={animalsPath(view, "selected", field)}>
            <span class="verb">Change</span> {field}
          </a>
        ))}
      <button
        type="button"
        class="small secondary outline"
        onClick={() => download("animals.csv", csvOf(selected, categories))}
      >
        Export
      </button>
    </section>
  );
};

/** The animals that were not changed, and why. They stay selected. */
const Failures = ({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) => (
  <div class="notice problem failures" role="alert">
    <p>{failureWords(outcome.failed.length, outcome.failed.length + outcome.changed.length)}</p>
    <ul>
      {outcome.failed.map(({ animal: { id, name }, error }) => (
        <li key={id}>
          <a href={animalPath(id)}>
            <bdi>{name}</bdi>
          </a>
          : {reasonOf(error)}
        </li>
      ))}
    </ul>
    <button type="button" class="secondary outline small" onClick={onClose}>
      Close
    </button>
  </div>
);

const MAX_NAMES = 5;

const Names = ({ animals }: { animals: readonly Animal[] }) => (
  <p class="explained">
    {animals.slice(0, MAX_NAMES).map(({ id, name }, at) => (
      <Fragment key={id}>
        {at > 0 && ", "}
        <bdi>{name}</bdi>
      </Fragment>
    ))}
    {animals.length > MAX_NAMES && ` and ${formatCount(animals.length - MAX_NAMES)} more`}
  </p>
);

interface BulkProps {
  act: string | undefined;
  back: string;
  onDone: (outcome: Outcome) => void;
}

/** Changes all of them together, and offers one Undo. The page lists those that could not be changed. */
const BulkForm = ({ act, animals, back, onDone }: BulkProps & { animals: readonly Animal[] }) => {
  const { changeMany, changeBack } = useAnimalActions();
  const { categories } = useCategories();
  const { draft, bind } = useDraft({ status: "available", category: "" });
  const [count, setCount] = useState(0);
  const isOfStatus = act === "status";
  const status = isStatus(draft.status) ? draft.status : undefined;
  const categoryId = integerOf(draft.category);
  // Their state after the change: "adopted".
  const what = isOfStatus
    ? ((status && STATUS_NAMES[status]) ?? "without a status")
    : `in “${categoryOf(categories, draft.category)?.name ?? draft.category}”`;
  const changing = useAction({
    act: ({ change }: { change: AnimalChange; what: string }) => changeMany(animals, change, setCount),
    onDone,
    at: back,
    says: ({ changed }, { what }) =>
      changed.length > 0
        ? `${pluralize(changed.length, "animal")} ${changed.length === 1 ? "is" : "are"} now ${what}`
        : undefined,
    undo: ({ changed }) => changeBack(changed),
  });
  const isReady = isOfStatus || typeof categoryId === "bigint";
  const change = isOfStatus ? { status: status ?? null } : { categoryId };
  return (
    <DialogForm
      action={changing}
      words={FIELDS}
      label={`Change ${pluralize(animals.length, "animal")}`}
      isEnabled={isReady}
      onSubmit={() => isReady && changing.run({ change, what })}
    >
      <Names animals={animals} />
      {isOfStatus ? <StatusField {...bind("status")} /> : <CategoryField {...bind("category")} />}
      <p role="status">
        {changing.isPending && count > 0 && `${formatCount(count)} of ${formatCount(animals.length)}`}
      </p>
    </DialogForm>
  );
};

const BulkDialog = ({ selected, ...bulk }: BulkProps & { selected: readonly Animal[] }) => {
  const { act, back } = bulk;
  const { route } = useLocation();
  // Those that were selected when the dialog opened.
  const [animals] = useState(selected);
  const isKnown = animals.length > 0 && (act === "status" || act === "category");
  // A reload has forgotten the selection.
  useEffect(() => {
    if (!isKnown) route(back, true);
  }, [isKnown]);
  if (!isKnown) return null;
  return (
    <Dialog title={`Change the ${act} of ${pluralize(animals.length, "animal")}`} back={back}>
      <BulkForm {...bulk} animals={animals} />
    </Dialog>
  );
};

/** The facts that can be columns, and those that the user of this browser has chosen. */
const useColumns = () => {
  const { storeId } = useSession();
  const facts = factsWith(useCustomFields().data ?? []);
  const [names, setNames] = useStored(`adoption-store columns of animals ${storeId}`);
  const toggle = (name: string) => setNames(toggleFact(names, name));
  return { facts, chosen: chosenFacts(facts, names), toggle };
};

const ColumnMenu = ({ facts, chosen, toggle }: ReturnType<typeof useColumns>) => (
  <Menu label="Columns">
    {facts.map((fact) => (
      <li key={fact.name}>
        <Check name={fact.name} isChecked={chosen.includes(fact)} onCheck={() => toggle(fact.name)}>
          {fact.label}
        </Check>
      </li>
    ))}
  </Menu>
);

const factColumn = (fact: Member): Column<Animal> => ({
  name: fact.label,
  key: fact.name,
  cell({ profile, status }) {
    const words = profile && factOf(profile, fact, { isHere: status !== "sold", now: new Date() });
    return words && <bdi class="fact">{words}</bdi>;
  },
});

/** The table of animals with their actions. Those with an id in `added` are marked as new. */
const useTable = (
  view: View,
  added: ReadonlySet<number>,
  categories: readonly Category[],
  facts: readonly Member[],
  selection: Selection,
): Omit<TableProps<Animal>, "items"> => {
  const { route } = useLocation();
  const columns: readonly Column<Animal>[] = [
    { name: "No.", kind: "number", sort: "-id", cell: ({ id }) => id },
    {
      name: "Name",
      sort: "name",
      cell: ({ id, name, photos: [photo] = [], profile }) => (
        <>
          <span class="thumbnail">
            {photo && <Picture photo={photo} alt="" sizes={view.as ? "20rem" : "3rem"} />}
          </span>
          <a href={animalPath(id, view)}>
            <bdi>{name}</bdi>
          </a>{" "}
          {added.has(id) && <Badge tone="good">new</Badge>}
          {profile && <small>{summaryOf(profile, new Date())}</small>}
        </>
      ),
    },
    {
      name: "Category",
      cell: ({ id, categoryId }) => (
        <>
          <span class="narrow" aria-hidden="true">
            {id} ·{" "}
          </span>
          <CategoryName id={categoryId} categories={categories} />
        </>
      ),
    },
    { name: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
    ...facts.map(factColumn),
    {
      name: "Actions",
      kind: "actions",
      cell: (animal) => <AnimalLinks animal={animal} pathOf={(act) => animalsPath(view, animal.id, act)} />,
    },
  ];
  const classOf = (animal: Animal) =>
    [selection.isSelected(animal.id) && "selected", !mayMatch(view, animal) && "left"]
      .filter(Boolean)
      .join(" ");
  return {
    label: "Animals",
    kind: `animals placed ${view.as ?? (facts.length > 0 ? "wide" : "")}`,
    // Pictures are always stacked.
    stackBelow: view.as ? 1000 : 48,
    columns,
    keyOf: byId,
    row: (animal) => (
      <tr data-id={animal.id} class={classOf(animal)}>
        <SelectCell selection={selection} id={animal.id} name={animal.name} />
        <Cells columns={columns} item={animal} />
      </tr>
    ),
    sorting: {
      value: view.sort ?? DEFAULT_SORT,
      onSort: (sort) => route(animalsPath({ ...view, sort: sort as Sort })),
    },
    selection,
  };
};

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
        {isMany ? "Many more animals" : pluralize(count, "more animal")}{" "}
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
      <p id={id}>{first ? chartWords(days) : "Counting…"}</p>
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
  const columns = useColumns();
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
      actions={
        can("pets:write") && (
          <a class="button secondary outline" href={animalsPath(view, "import")}>
            Import
          </a>
        )
      }
    >
      <div class="finding">
        <CountTabs
          label="Animals by status"
          tabs={[undefined, ...STATUSES].map((status) => ({
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
        <CountTabs
          label="Form of the list"
          tabs={([undefined, "pictures"] as const).map((as) => ({
            href: animalsPath({ ...view, as }),
            name: as ? "Pictures" : "List",
            isCurrent: as === view.as,
          }))}
        />
        <FilterForm view={view} />
        {!view.as && <ColumnMenu {...columns} />}
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
        table={useTable(view, live.fresh, categories, view.as ? [] : columns.chosen, selection)}
      />
      <SelectionBar selected={selected} view={view} onClear={selection.clear} />
      <Chart filter={view} />
      {part === "new" && act === undefined && can("pets:write") && (
        <AddAnimal view={view} onAdded={live.add} />
      )}
      {part === "import" && can("pets:write") && <ImportAnimals view={view} act={act} />}
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
