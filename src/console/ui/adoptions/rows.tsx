import { Badge, Problem } from "../parts/feedback.tsx";
import { useLocation } from "../parts/router.ts";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { AdopterName, AnimalName } from "./adopter.tsx";
import { type Sort, type View, adoptionsPath } from "./addresses.ts";
import { Note } from "./note.tsx";
import { type Adoption, STEPS_FROM, TONES, isFinalStep } from "./order.ts";
import { useStep } from "./step.tsx";
import { words } from "./words.ts";

type Approving = ReturnType<typeof useStep>;

/** Approving happens at once. Completing and cancelling end the adoption, so they ask first. */
const Actions = ({
  adoption,
  view,
  approving: { run, isPending },
}: {
  adoption: Adoption;
  view: View;
  approving: Approving;
}) => (
  <div>
    {STEPS_FROM[adoption.status].map((step) =>
      isFinalStep(step) ? (
        <a
          key={step}
          class={`button small ${step === "cancel" ? "secondary outline" : ""}`}
          href={adoptionsPath(view, adoption.id, step)}
          aria-label={words.stepLabel(step, adoption)}
        >
          {words.steps[step]}
        </a>
      ) : (
        <button
          key={step}
          type="button"
          class="small"
          aria-label={words.stepLabel(step, adoption)}
          aria-busy={isPending}
          aria-disabled={isPending}
          onClick={() => run()}
        >
          {words.steps[step]}
        </button>
      ),
    )}
  </div>
);

const Row = ({
  adoption,
  view,
  mayChange,
  width,
}: {
  adoption: Adoption;
  view: View;
  mayChange: boolean;
  /** How many columns there are. */
  width: number;
}) => {
  const { id, note, status, createdAt, updatedAt } = adoption;
  const approving = useStep(adoption, "approve");
  return (
    <>
      <tr>
        <td class="number" data-column={words.columns.id}>
          {id}
        </td>
        <td data-column={words.columns.adopter}>
          <div>
            <AdopterName adoption={adoption} />
          </div>
        </td>
        <td data-column={words.columns.animal}>
          <AnimalName adoption={adoption} />
        </td>
        <td data-column={words.columns.note}>
          <Note text={note} />
        </td>
        <td data-column={words.columns.status}>
          <Badge tone={TONES[status]}>{status}</Badge>
        </td>
        <td data-column={words.columns.started}>
          <div>
            <Time at={createdAt} />
            {updatedAt !== createdAt && (
              <small>
                {status} <Time at={updatedAt} />
              </small>
            )}
          </div>
        </td>
        {mayChange && (
          <td class="actions">
            <Actions adoption={adoption} view={view} approving={approving} />
          </td>
        )}
      </tr>
      {approving.error && (
        <tr>
          <td class="refused" colSpan={width}>
            <Problem error={approving.error} />
          </td>
        </tr>
      )}
    </>
  );
};

const { columns } = words;
const COLUMNS = [
  { name: columns.id, kind: "number", sort: "-id" },
  columns.adopter,
  columns.animal,
  columns.note,
  columns.status,
  columns.started,
] as const;

/** A table of adoptions with their actions. */
export const Rows = ({ adoptions, view }: { adoptions: readonly Adoption[]; view: View }) => {
  const { route } = useLocation();
  const mayChange = useSession().can("orders:write");
  const shown = [...COLUMNS, ...(mayChange ? [{ name: columns.actions, kind: "actions" as const }] : [])];
  const sorting = {
    value: view.sort,
    onSort: (value: string) => route(adoptionsPath({ ...view, sort: value as Sort }), true),
  };
  return (
    <Table label={words.title} kind="adoptions" stackBelow={60} columns={shown} sorting={sorting}>
      {adoptions.map((adoption) => (
        <Row key={adoption.id} adoption={adoption} view={view} mayChange={mayChange} width={shown.length} />
      ))}
    </Table>
  );
};
