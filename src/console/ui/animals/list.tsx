import { useState } from "preact/hooks";
import { useCategories } from "../categories/queries.ts";
import { UsualSpecies } from "../categories/usual-species.tsx";
import { Empty } from "../parts/feedback.tsx";
import { idOf } from "../parts/id.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation, useRoute } from "../parts/router.ts";
import { useSelection } from "../parts/selection.tsx";
import { useSession } from "../session.tsx";
import { AddAnimal } from "./add.tsx";
import { type View, animalsPath, isNarrow, mayMatch, viewOf } from "./addresses.ts";
import { Arrivals } from "./arrivals.tsx";
import { BulkDialog, Failures, SelectionBar } from "./selection.tsx";
import type { Outcome } from "./bulk.ts";
import { itemsOf } from "./changes.ts";
import { Chart } from "./chart.tsx";
import { AnimalDialog } from "./dialogs.tsx";
import { FilterForm } from "./filter.tsx";
import { ImportAnimals } from "./import.tsx";
import { useLiveList } from "./live-list.ts";
import { useAnimals, useStatistics } from "./queries.ts";
import { Rows } from "./rows.tsx";
import { countOf } from "./statistics.ts";
import { STATUS_NAMES } from "./statuses.ts";
import { Tiles } from "./tiles.tsx";
import { WORDS } from "./words.ts";

/** A store without animals: the ways to add the first. */
const NoAnimals = ({ view }: { view: View }) => (
  <>
    <Empty title={WORDS.empty(view)}>
      {useSession().can("pets:write") && (
        <div class="buttons">
          <a class="button" href={animalsPath(view, "new")}>
            {WORDS.addFirst}
          </a>
          <a class="button secondary outline" href={animalsPath(view, "import")}>
            {WORDS.importFile}
          </a>
        </div>
      )}
    </Empty>
    <UsualSpecies />
  </>
);

const EmptyList = ({ view }: { view: View }) =>
  view.status || isNarrow(view) ? (
    <Empty title={WORDS.empty(view)}>
      <a href={animalsPath()}>{WORDS.showAll}</a>
    </Empty>
  ) : (
    <NoAnimals view={view} />
  );

/** The animals that match the filter. */
export const AnimalList = () => {
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
      title={WORDS.title}
      part={view.status && STATUS_NAMES[view.status]}
      actions={
        can("pets:write") && (
          <a class="button" href={animalsPath(view, "new")}>
            {WORDS.add}
          </a>
        )
      }
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
      >
        {() => (
          <Rows
            animals={animals}
            added={live.fresh}
            categories={categories}
            view={view}
            selection={selection}
          />
        )}
      </List>
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
