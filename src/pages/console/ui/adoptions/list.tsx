import { useAnimal } from "../animals/queries.ts";
import { ActionButton } from "../parts/action.tsx";
import { Badge, CountTabs, Empty, Page, Problem, Sentence, Time } from "../parts/page.tsx";
import { idOf, isOnPage } from "../parts/address.ts";
import { useLocation, useRoute } from "../parts/navigation.ts";
import { SearchField } from "../parts/form.tsx";
import { Cells, type Column, List, byId } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import {
  type Adoption,
  type Counts,
  STATUSES,
  STEPS_FROM,
  type Sort,
  TONES,
  type View,
  adoptionPath,
  adoptionsPath,
  animalLabel,
  countOf,
  isFinalStep,
  searchPath,
  viewOf,
} from "./order.ts";
import { AdopterName, AdoptionPage, AnimalName, EndAdoption, Note, useStep } from "./adoption.tsx";
import { PlaceAdoption } from "./place.tsx";
import { useAdoptions, useChangesElsewhere, useCounts } from "./queries.ts";
import { isolated, pluralize } from "../parts/wording.ts";

const LABELS = { approve: "Approve", complete: "Complete", cancel: "Cancel" };

/** Approving takes effect immediately. Completing and cancelling end the adoption, so they ask first. */
const Actions = ({
  adoption,
  view,
  approving,
}: {
  adoption: Adoption;
  view: View;
  approving: ReturnType<typeof useStep>;
}) => {
  const { id, status, adopter } = adoption;
  const whose = `the adoption of ${animalLabel(adoption)}${adopter ? ` by ${adopter.name}` : ""}`;
  return (
    <div>
      {STEPS_FROM[status].map((step) =>
        isFinalStep(step) ? (
          <a
            key={step}
            class={`button small ${step === "cancel" ? "secondary outline" : ""}`}
            href={adoptionsPath(view, id, step)}
            aria-label={`${LABELS[step]} ${whose}`}
          >
            {LABELS[step]}
          </a>
        ) : (
          <ActionButton key={step} action={approving} class="small" aria-label={`${LABELS[step]} ${whose}`}>
            {LABELS[step]}
          </ActionButton>
        ),
      )}
    </div>
  );
};

const COLUMNS: readonly Column<Adoption>[] = [
  { name: "No.", kind: "number", sort: "-id", cell: ({ id }) => id },
  { name: "Adopter", kind: "group", cell: (adoption) => <AdopterName adoption={adoption} /> },
  { name: "Animal", cell: (adoption) => <AnimalName adoption={adoption} /> },
  { name: "Note", cell: ({ note }) => <Note text={note} /> },
  { name: "Status", cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  {
    name: "Started",
    kind: "group",
    cell: ({ status, createdAt, updatedAt }) => (
      <>
        <Time at={createdAt} />
        {updatedAt !== createdAt && (
          <small>
            {status} <Time at={updatedAt} />
          </small>
        )}
      </>
    ),
  },
];
const WITH_ACTIONS = [...COLUMNS, { name: "Actions", kind: "actions" as const }];

const Row = ({ adoption, view, mayChange }: { adoption: Adoption; view: View; mayChange: boolean }) => {
  const approving = useStep(adoption, "approve");
  return (
    <>
      <tr>
        <Cells columns={COLUMNS} item={adoption} />
        {mayChange && (
          <td class="actions">
            <Actions adoption={adoption} view={view} approving={approving} />
          </td>
        )}
      </tr>
      {approving.error && (
        <tr>
          <td class="refused" colSpan={WITH_ACTIONS.length}>
            <Problem error={approving.error} />
          </td>
        </tr>
      )}
    </>
  );
};

/** The message of an empty list. It mentions other statuses that have adoptions. */
const NothingFound = ({ view, counts }: { view: View; counts: Counts | undefined }) => {
  const { status, q } = view;
  const suffix = q === undefined ? (status ? "" : " yet") : " found";
  const title = `No ${status ? `${status} ` : ""}adoptions${suffix}`;
  const elsewhere = view.status && counts ? countOf(counts, undefined) : 0;
  return (
    <Empty title={title}>
      {elsewhere > 0 && (
        <p>
          {pluralize(elsewhere, "adoption")} {elsewhere === 1 ? "has" : "have"} another status.{" "}
          <a href={adoptionsPath({ ...view, status: undefined })}>Show all</a>
        </p>
      )}
      {elsewhere === 0 && view.q !== undefined && (
        <a href={adoptionsPath({ status: undefined })}>Show all adoptions</a>
      )}
    </Empty>
  );
};

const OfAnimal = ({ animal: id, view }: { animal: number; view: View }) => {
  const mayRead = useSession().can("pets:read");
  const { data: animal } = useAnimal(mayRead ? id : undefined);
  const name = animalLabel({ petId: id, ...(animal && { animal }) });
  return (
    <p>
      <Sentence text={`Only adoptions of ${isolated(name)}.`} />{" "}
      <a href={adoptionsPath({ q: view.q, sort: view.sort })}>Show adoptions of all animals</a>
    </p>
  );
};

const AdoptionList = ({ view }: { view: View }) => {
  const { route } = useLocation();
  const mayChange = useSession().can("orders:write");
  const found = useAdoptions(view);
  const { data: counts } = useCounts(view);
  const onPointer = useChangesElsewhere(view);
  return (
    <Page
      title="Adoptions"
      part={view.status}
      add={mayChange && { href: adoptionsPath(view, "new"), label: "Start adoption" }}
    >
      <div class="finding">
        <CountTabs
          label="Adoptions by status"
          tabs={[...STATUSES, undefined].map((status) => ({
            href: adoptionsPath({ ...view, status }),
            name: status ?? "all",
            isCurrent: status === view.status,
            count: counts && countOf(counts, status),
          }))}
        />
        <SearchField
          label="Search by adopter, e-mail, animal or number"
          placeholder="Name, e-mail or number"
          q={view.q ?? ""}
          search={(q) => route(searchPath(view, q), true)}
        />
      </div>
      {view.animal !== undefined && <OfAnimal animal={view.animal} view={view} />}
      <div onPointerMove={onPointer} onPointerDown={onPointer}>
        <List
          found={found}
          thing={view.status ? `${view.status} adoption` : "adoption"}
          shown={found.items.filter(({ status }) => status === (view.status ?? status)).length}
          all={counts && countOf(counts, view.status)}
          empty={<NothingFound view={view} counts={counts} />}
          table={{
            label: "Adoptions",
            kind: "adoptions",
            stackBelow: 60,
            columns: mayChange ? WITH_ACTIONS : COLUMNS,
            keyOf: byId,
            row: (adoption) => <Row adoption={adoption} view={view} mayChange={mayChange} />,
            sorting: {
              value: view.sort,
              onSort: (sort) => route(adoptionsPath({ ...view, sort: sort as Sort }), true),
            },
          }}
        />
      </div>
    </Page>
  );
};

export const Adoptions = () => {
  const { query } = useLocation();
  const { part, act } = useRoute().params;
  const mayChange = useSession().can("orders:write");
  const view = viewOf(query);
  const id = idOf(part);
  const onPage = id !== undefined && (act === undefined || isOnPage(query));
  const back = onPage ? adoptionPath(id) : adoptionsPath(view);
  return (
    <>
      {onPage ? <AdoptionPage key={id} id={id} /> : <AdoptionList view={view} />}
      {mayChange && part === "new" && <PlaceAdoption back={back} />}
      {mayChange && id !== undefined && isFinalStep(act) && (
        <EndAdoption key={`${id} ${act}`} id={id} step={act} back={back} hasLink={!onPage} />
      )}
    </>
  );
};
