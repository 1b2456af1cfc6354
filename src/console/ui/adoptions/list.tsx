import { useAnimal } from "../animals/queries.ts";
import { Empty } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/router.ts";
import { SearchField } from "../parts/search-field.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { CountTabs } from "../parts/tabs.tsx";
import { useSession } from "../session.tsx";
import { type View, adoptionsPath, searchPath } from "./addresses.ts";
import { type Counts, STATUSES, countOf } from "./order.ts";
import { useAdoptions, useChangesElsewhere, useCounts } from "./queries.ts";
import { Rows } from "./rows.tsx";
import { animalLabel, words } from "./words.ts";

const tabsOf = (view: View, counts: Counts | undefined) =>
  [...STATUSES, undefined].map((status) => ({
    href: adoptionsPath({ ...view, status }),
    name: status ?? words.all,
    isCurrent: status === view.status,
    count: counts && countOf(counts, status),
  }));

/** Nothing found. If other statuses have some, it says so. */
const NothingFound = ({ view, counts }: { view: View; counts: Counts | undefined }) => {
  const elsewhere = view.status && counts ? countOf(counts, undefined) : 0;
  return (
    <Empty title={words.empty(view.status, view.q !== undefined)}>
      {elsewhere > 0 && (
        <p>
          {words.elsewhere(elsewhere)}{" "}
          <a href={adoptionsPath({ ...view, status: undefined })}>{words.showAll}</a>
        </p>
      )}
      {elsewhere === 0 && view.q !== undefined && (
        <a href={adoptionsPath({ status: undefined })}>{words.showEvery}</a>
      )}
    </Empty>
  );
};

/** Says of which animal the adoptions are. */
const OfAnimal = ({ animal: id, view }: { animal: number; view: View }) => {
  const mayRead = useSession().can("pets:read");
  const { data: animal } = useAnimal(mayRead ? id : undefined);
  const name = animalLabel({ petId: id, ...(animal && { animal }) });
  return (
    <p>
      <Sentence text={words.ofAnimal(name)} />{" "}
      <a href={adoptionsPath({ q: view.q, sort: view.sort })}>{words.showAllAnimals}</a>
    </p>
  );
};

/** The adoptions: who wants which animal, and the status of each. */
export const AdoptionList = ({ view }: { view: View }) => {
  const { route } = useLocation();
  const { can } = useSession();
  const found = useAdoptions(view);
  const { data: counts } = useCounts(view);
  const onPointer = useChangesElsewhere(view);
  return (
    <Page
      title={words.title}
      part={view.status}
      actions={
        can("orders:write") && (
          <a class="button" href={adoptionsPath(view, "new")}>
            {words.start}
          </a>
        )
      }
    >
      <div class="finding">
        <CountTabs label={words.tabs} tabs={tabsOf(view, counts)} />
        <SearchField
          label={words.search}
          placeholder={words.searchPlaceholder}
          q={view.q ?? ""}
          search={(q) => route(searchPath(view, q), true)}
        />
      </div>
      {view.animal !== undefined && <OfAnimal animal={view.animal} view={view} />}
      <div onPointerMove={onPointer} onPointerDown={onPointer}>
        <List
          found={found}
          thing={view.status ? `${view.status} adoption` : "adoption"}
          shown={
            found.items.filter(({ status }) => view.status === undefined || status === view.status).length
          }
          all={counts && countOf(counts, view.status)}
          empty={<NothingFound view={view} counts={counts} />}
        >
          {(adoptions) => <Rows adoptions={adoptions} view={view} />}
        </List>
      </div>
    </Page>
  );
};
