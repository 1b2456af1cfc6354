import { useLocation, useRoute } from "../parts/router.ts";
import { useState } from "preact/hooks";
import { withAdded } from "../parts/added.ts";
import { pluralize } from "../parts/count.ts";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { idOf } from "../parts/id.ts";
import { More } from "../parts/more.tsx";
import { Page } from "../parts/page.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";
import { useSession } from "../session.tsx";
import { type Filter, adoptionsPath, filterOf } from "./addresses.ts";
import { type Adoption, STATUSES, isFinalStep } from "./order.ts";
import { PlaceAdoption } from "./place.tsx";
import { useAdoptions } from "./queries.ts";
import { Rows } from "./rows.tsx";
import { EndAdoption } from "./step.tsx";

const tabsOf = ({ status: current, animal }: Filter): Tab[] =>
  [...STATUSES, undefined].map((status) => ({
    href: adoptionsPath({ status, animal }),
    name: status ?? "all",
    isCurrent: status === current,
  }));

/** The list, page by page. Adoptions that were just begun come first. */
const List = ({ filter, begun }: { filter: Filter; begun: readonly Adoption[] }) => {
  const { status, animal } = filter;
  const found = useAdoptions(filter);
  if (found.isPending) return <Loading what="Loading adoptions" />;
  const listed = found.data?.pages.flatMap(({ items }) => items) ?? [];
  const adoptions = withAdded(
    listed,
    begun,
    (one) =>
      (status === undefined || one.status === status) && (animal === undefined || one.petId === animal),
  );
  return (
    <>
      {found.error && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data && adoptions.length === 0 && (
        <Empty title={status ? `No adoption is ${status}` : "No adoptions yet"}>
          {status && <a href={adoptionsPath({ status: undefined, animal })}>Show all</a>}
        </Empty>
      )}
      {adoptions.length > 0 && (
        <div class={found.isPlaceholderData ? "outdated" : ""} aria-busy={found.isPlaceholderData}>
          <Rows adoptions={adoptions} filter={filter} />
          <More
            words={`${pluralize(adoptions.length, "adoption")} shown`}
            hasMore={found.hasNextPage}
            isBusy={found.isFetchingNextPage}
            onMore={found.fetchNextPage}
          />
        </div>
      )}
    </>
  );
};

/** The adoptions: who wants which animal, and the status of each. */
export const Adoptions = () => {
  const { query } = useLocation();
  const { part, act } = useRoute().params;
  const mayChange = useSession().can("orders:write");
  const [begun, setBegun] = useState<Adoption[]>([]);
  const filter = filterOf(query);
  const back = adoptionsPath(filter);
  const id = idOf(part);
  return (
    <Page
      title="Adoptions"
      part={filter.status}
      actions={
        mayChange && (
          <a class="button" href={adoptionsPath(filter, "new")}>
            Begin adoption
          </a>
        )
      }
    >
      <Tabs label="Adoptions by status" tabs={tabsOf(filter)} />
      {filter.animal !== undefined && (
        <p>
          Showing only adoptions of the animal with the id {filter.animal}.{" "}
          <a href={adoptionsPath({ status: filter.status })}>Show adoptions of all animals</a>
        </p>
      )}
      <List filter={filter} begun={begun} />
      {mayChange && part === "new" && (
        <PlaceAdoption
          back={adoptionsPath()}
          onPlaced={(adoption) => setBegun((before) => [...before, adoption])}
        />
      )}
      {mayChange && id !== undefined && isFinalStep(act) && (
        <EndAdoption key={`${id} ${act}`} id={id} step={act} back={back} />
      )}
    </Page>
  );
};
