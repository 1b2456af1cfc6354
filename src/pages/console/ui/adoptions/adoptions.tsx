import { animalPath } from "../animals/animal.ts";
import { ApiError, hasCode, isGone } from "../api/client.ts";
import { History } from "../audit/activity.tsx";
import { ActionButton, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { Dialog, DialogForm, useDraftGuard } from "../parts/dialog.tsx";
import { Badge, CountTabs, Email, Empty, Facts, One, Page, Problem, Sentence, Time } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import {
  type Adoption,
  type Counts,
  type FinalStep,
  type OrderReturn,
  STATUSES,
  STATUS_AFTER,
  STEPS_FROM,
  type Sort,
  type Step,
  TONES,
  type View,
  adoptionPath,
  adoptionsPath,
  animalLabel,
  countOf,
  doneWords,
  isFinalStep,
  searchPath,
  viewOf,
  withOrder,
} from "./order.ts";
import { useAdoption, useAdoptionActions, useAdoptions, useCounts } from "./queries.ts";
import { useAnimal } from "../animals/queries.ts";
import { idOf, isOnPage } from "../parts/address.ts";
import { useLocation, useRoute } from "../parts/navigation.ts";
import { SearchField, SelectField, TextField, useDraft } from "../parts/form.tsx";
import { Cells, type Column, List, byId } from "../parts/table.tsx";
import { PlaceAdoption } from "./place.tsx";
import { isolated, pluralize } from "../parts/wording.ts";

const Erased = () => <em>data erased</em>;

/** The adopter, unless `orders forget` erased their data, with a link to the adoption. */
export const AdopterName = ({ adoption: { id, adopter } }: { adoption: Adoption }) => (
  <>
    <a href={adoptionPath(id)}>{adopter ? <bdi>{adopter.name}</bdi> : <Erased />}</a>
    {adopter && (
      <small>
        <Email address={adopter.email} />
      </small>
    )}
  </>
);

const AnimalName = ({ adoption: { animal, petId } }: { adoption: Adoption }) => {
  const mayRead = useSession().can("pets:read");
  if (animal === null) return <>animal {petId}, deleted</>;
  const name = animal ? <bdi>{animal.name}</bdi> : `animal ${petId}`;
  return mayRead ? <a href={animalPath(petId)}>{name}</a> : <>{name}</>;
};

const SHORT = 120;

/** The note of an adoption, or the reason of its return. A long one is folded. */
export const Note = ({ text }: { text: string | undefined }) => {
  if (!text) return null;
  const isShort = text.length <= SHORT && text.split("\n").length <= 3;
  if (isShort) return <bdi class="note">{text}</bdi>;
  return (
    <details class="note">
      <summary>
        <bdi>{text.slice(0, SHORT / 2).trimEnd()}…</bdi>
      </summary>
      <bdi>{text}</bdi>
    </details>
  );
};

const AdoptionFacts = ({ adoption }: { adoption: Adoption }) => {
  const { adopter, note, returnReason } = adoption;
  const email = adopter && (
    <a href={`mailto:${adopter.email.split("@").map(encodeURIComponent).join("@")}`}>
      <Email address={adopter.email} />
    </a>
  );
  return (
    <Facts
      facts={[
        ["Animal", <AnimalName adoption={adoption} />],
        ["Adopter", adopter ? <bdi>{adopter.name}</bdi> : <Erased />],
        ["E-mail", email],
        ["Note", note && <Note text={note} />],
        ["Returned because", returnReason && <Note text={returnReason} />],
      ]}
    />
  );
};

const tooLate = ({ status }: Pick<Adoption, "status">, step: Step): string =>
  status === STATUS_AFTER[step]
    ? `This adoption is already ${status}.`
    : `This adoption is ${status} now, so it can't be ${STATUS_AFTER[step]}.`;

/**
 * Takes an adoption to its next step. If another user has changed it first, the page shows their change.
 * @param at the address to open then
 */
const useStep = (
  adoption: Adoption,
  step: Step,
  { at, hasLink = true }: { at?: string; hasLink?: boolean } = {},
) => {
  const header = useIdempotencyKey();
  const actions = useAdoptionActions();
  return useAction({
    async act(details: OrderReturn | void) {
      try {
        return withOrder(adoption, await actions.step(adoption.id, step, details ?? undefined, header));
      } catch (error) {
        const now = hasCode(error as Error, "order_status_conflict") && (await actions.reread(adoption.id));
        if (now) throw new ApiError(409, "order_status_conflict", tooLate(now, step));
        throw error;
      }
    },
    ...(at !== undefined && { at }),
    says: (stepped) => ({
      words: doneWords(stepped),
      ...(hasLink && { link: { href: adoptionPath(adoption.id), label: "View adoption" } }),
    }),
  });
};

const QUESTIONS = {
  complete: {
    title: "Complete adoption",
    back: "Not yet",
    consequence: "will be marked as adopted. This can't be undone.",
  },
  cancel: {
    title: "Cancel adoption",
    back: "Keep adoption",
    consequence: "will be available again. This can't be undone, but you can start a new adoption.",
  },
  return: {
    title: "Return the animal",
    back: "Cancel",
    consequence: "came back. This can't be undone, but you can start a new adoption.",
  },
} satisfies Record<FinalStep, object>;

interface EndProps {
  step: FinalStep;
  back: string;
  /** The toast leads to the adoption. */
  hasLink: boolean;
}

const REASON = { missing: "Enter the reason.", otherwise: "Enter the reason in one line." };

const RETURNED_TO = [
  ["available", "Available for adoption"],
  ["pending", "Pending: not available yet"],
] as const;

const StepForm = ({ adoption, step, back, hasLink }: EndProps & { adoption: Adoption }) => {
  const question = QUESTIONS[step];
  const action = useStep(adoption, step, { at: back, hasLink });
  const { draft, bind, isDirty } = useDraft<Required<OrderReturn>>({ reason: "", animal: "available" });
  useDraftGuard(isDirty);
  return (
    <DialogForm
      action={action}
      words={{ reason: REASON }}
      backLabel={question.back}
      label={question.title}
      isDangerous={step === "cancel"}
      onSubmit={() => action.run(step === "return" ? draft : undefined)}
    >
      <p>
        <bdi>{animalLabel(adoption)}</bdi> {question.consequence}
      </p>
      <AdoptionFacts adoption={adoption} />
      {step === "return" && (
        <>
          <TextField
            label="Reason"
            hint={!adoption.adopter && "It is not stored, because the adopter's data was erased."}
            required
            {...bind("reason")}
          />
          <SelectField label="Status of the animal" options={RETURNED_TO} {...bind("animal")} />
        </>
      )}
    </DialogForm>
  );
};

const EndAdoption = ({ id, ...end }: EndProps & { id: number }) => (
  <Dialog title={QUESTIONS[end.step].title} back={end.back}>
    <One found={useAdoption(id)} what="the adoption">
      {(adoption) =>
        STEPS_FROM[adoption.status].includes(end.step) ? (
          <StepForm adoption={adoption} {...end} />
        ) : (
          <Problem error={tooLate(adoption, end.step)} />
        )
      }
    </One>
  </Dialog>
);

const NEXT = {
  placed: "Approve the adoption if the adopter can have the animal.",
  approved: "Complete the adoption when the adopter takes the animal home. This can't be undone.",
  completed: "The animal has a new home. If it comes back, return it here.",
  cancelled: "This adoption was cancelled.",
  returned: "The animal came back.",
};

/** The next step, taken without confirmation: the text above the button describes its effect. Only cancelling and returning ask. */
const Steps = ({ adoption }: { adoption: Adoption }) => {
  const { id, status } = adoption;
  const mayChange = useSession().can("orders:write");
  const stepping = {
    approve: useStep(adoption, "approve", { hasLink: false }),
    complete: useStep(adoption, "complete", { hasLink: false }),
  };
  const error = stepping.approve.error ?? stepping.complete.error;
  const possible = mayChange ? STEPS_FROM[status] : [];
  return (
    <section class={`step notice ${TONES[status]}`} aria-label="Next step">
      {error && <Problem error={error} />}
      <p>{NEXT[status]}</p>
      {possible.length > 0 && (
        <div class="buttons">
          {possible.map((step) =>
            step === "cancel" || step === "return" ? (
              <a key={step} class="button secondary outline" href={adoptionPath(id, step)}>
                {QUESTIONS[step].title}
              </a>
            ) : (
              <ActionButton key={step} action={stepping[step]}>
                {step === "approve" ? "Approve adoption" : "Complete adoption"}
              </ActionButton>
            ),
          )}
        </div>
      )}
    </section>
  );
};

const NOT_FOUND = new ApiError(404, "not_found", "There is no adoption with this number.");

const AdoptionPage = ({ id }: { id: number }) => {
  const found = useAdoption(id);
  const isMissing = isGone(found.error);
  return (
    <Page title={`Adoption no. ${id}`} back={{ href: adoptionsPath(), label: "Back to adoptions" }}>
      <One
        found={isMissing ? { ...found, error: NOT_FOUND } : found}
        what="the adoption"
        withErrors={isMissing}
      >
        {(adoption) => (
          <>
            <p>
              <Badge tone={TONES[adoption.status]}>{adoption.status}</Badge> Started{" "}
              <Time at={adoption.createdAt} />
              {adoption.updatedAt !== adoption.createdAt && (
                <>
                  , {adoption.status} <Time at={adoption.updatedAt} />
                </>
              )}
            </p>
            <AdoptionFacts adoption={adoption} />
            <Steps adoption={adoption} />
            <History resource="order" id={id} />
          </>
        )}
      </One>
    </Page>
  );
};

const LABELS = { approve: "Approve", complete: "Complete", cancel: "Cancel" };

/** Approving takes effect immediately. The others end the adoption, so they ask first. The list offers no returns. */
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
  const steps = STEPS_FROM[status].filter((step) => step !== "return");
  const whose = `the adoption of ${animalLabel(adoption)}${adopter ? ` by ${adopter.name}` : ""}`;
  return (
    <div>
      {steps.map((step) =>
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
  const { counts, onPointer } = useCounts(view);
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
            kind: "adoptions placed",
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
