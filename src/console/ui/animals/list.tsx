import { useLocation, useRoute } from "../parts/router.ts";
import { useState } from "preact/hooks";
import { PlaceAdoption } from "../adoptions/place.tsx";
import { useCategories } from "../categories/queries.ts";
import { withAdded } from "../parts/added.ts";
import { pluralize, formatCount } from "../parts/count.ts";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { fieldError, generalError } from "../parts/field.tsx";
import { idOf } from "../parts/id.ts";
import { More } from "../parts/more.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { AddAnimal } from "./add.tsx";
import { type Filter, animalsPath, filterOf, isNarrow, letsThrough } from "./addresses.ts";
import { ChangeAnimal } from "./change.tsx";
import { DeleteAnimal } from "./delete.tsx";
import { FilterForm } from "./filter.tsx";
import { Overview, useStatistics } from "./overview.tsx";
import { useAnimals } from "./queries.ts";
import { Rows } from "./rows.tsx";
import { type Animal, countOf } from "./statistics.ts";

const emptyWords = (filter: Filter): string => {
  if (isNarrow(filter)) return "No animals found";
  return filter.status ? `No animal is ${filter.status}` : "No animals yet";
};

/** The list, page by page. Animals that were just added come first. */
const List = ({
  found,
  filter,
  added,
}: {
  found: ReturnType<typeof useAnimals>;
  filter: Filter;
  added: readonly Animal[];
}) => {
  const statistics = useStatistics();
  const { categories, isLoading } = useCategories();
  if (found.isPending || isLoading) return <Loading what="Loading animals" />;
  const { status } = filter;
  const listed = found.data?.pages.flatMap(({ items }) => items) ?? [];
  const animals = withAdded(listed, added, (one) => letsThrough(filter, one));
  const isWhole = !isNarrow(filter);
  const all =
    isWhole && statistics.data ? Math.max(countOf(statistics.data, status), animals.length) : undefined;
  const general = generalError(found.error, ["q"]);
  return (
    <>
      {general && <Problem error={general} onRetry={found.refetch} />}
      {found.data && animals.length === 0 && (
        <Empty title={emptyWords(filter)}>
          {(status || !isWhole) && <a href={animalsPath()}>Show all</a>}
        </Empty>
      )}
      {animals.length > 0 && (
        <div class={found.isPlaceholderData ? "outdated" : ""} aria-busy={found.isPlaceholderData}>
          <Rows
            animals={animals}
            added={new Set(added.map(({ id }) => id))}
            categories={categories}
            filter={filter}
          />
          <More
            words={
              all === undefined
                ? `${pluralize(animals.length, "animal")} shown`
                : `${formatCount(animals.length)} of ${pluralize(all, "animal")} shown`
            }
            hasMore={found.hasNextPage}
            isBusy={found.isFetchingNextPage}
            onMore={found.fetchNextPage}
          />
        </div>
      )}
    </>
  );
};

/** The dialog that the address names, if the key allows it. */
const ActiveDialog = ({
  filter,
  setAdded,
}: {
  filter: Filter;
  setAdded: (of: (before: Animal[]) => Animal[]) => void;
}) => {
  const { part, act } = useRoute().params;
  const { can } = useSession();
  const back = animalsPath(filter);
  const id = idOf(part);
  if (part === "new" && act === undefined && can("pets:write"))
    return (
      <AddAnimal
        category={filter.category}
        back={back}
        onAdded={(animal) => setAdded((before) => [...before, animal])}
      />
    );
  if (id === undefined) return null;
  if (act === "adopt" && can("orders:write")) return <PlaceAdoption key={id} animalId={id} back={back} />;
  if (!can("pets:write")) return null;
  if (act === "change")
    return (
      <ChangeAnimal
        key={id}
        id={id}
        back={back}
        onChanged={(animal) => setAdded((before) => before.map((one) => (one.id === id ? animal : one)))}
      />
    );
  if (act === "delete")
    return (
      <DeleteAnimal
        key={id}
        id={id}
        back={back}
        onDeleted={() => setAdded((before) => before.filter((one) => one.id !== id))}
      />
    );
  return null;
};

/** The animals that match the filter, with their statistics. */
export const Animals = () => {
  const { query } = useLocation();
  const mayChange = useSession().can("pets:write");
  const [added, setAdded] = useState<Animal[]>([]);
  const filter = filterOf(query);
  const found = useAnimals(filter);
  return (
    <Page
      title="Animals"
      actions={
        mayChange && (
          <a class="button" href={animalsPath(filter, "new")}>
            Add animal
          </a>
        )
      }
    >
      <Overview filter={filter} />
      <FilterForm filter={filter} refusal={fieldError(found.error, "q")} />
      <List found={found} filter={filter} added={added} />
      <ActiveDialog filter={filter} setAdded={setAdded} />
    </Page>
  );
};
