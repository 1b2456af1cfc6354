import { useEffect, useRef } from "preact/hooks";
import { Badge, Problem } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { AdopterName, AnimalName } from "./adopter.tsx";
import { type Filter, adoptionsPath } from "./addresses.ts";
import { STEPS_FROM, type Adoption, TONES, animalLabel, stepMessage } from "./order.ts";
import { Note } from "./note.tsx";
import { useStep } from "./queries.ts";

type Approving = ReturnType<typeof useStep>;

/** Approving happens at once. Completing and cancelling end the adoption, so they ask first. */
const Actions = ({
  adoption,
  filter,
  approving,
}: {
  adoption: Adoption;
  filter: Filter;
  approving: Approving;
}) => {
  const place = useRef<HTMLDivElement>(null);
  const { id, status } = adoption;
  // The button disappears after approving: move the focus to the next action.
  useEffect(() => {
    if (approving.isIdle || approving.isPending || document.activeElement !== document.body) return;
    (place.current?.querySelector<HTMLElement>("a") ?? place.current)?.focus();
  }, [approving.status]);
  const words = animalLabel(adoption);
  const allowed = STEPS_FROM[status];
  return (
    <div ref={place} tabIndex={-1}>
      {allowed.includes("approve") && (
        <button
          type="button"
          class="small"
          aria-label={`Approve the adoption of ${words}`}
          aria-busy={approving.isPending}
          disabled={approving.isPending}
          onClick={() => approving.mutate()}
        >
          Approve
        </button>
      )}
      {allowed.includes("complete") && (
        <a
          class="button small"
          href={adoptionsPath(filter, id, "complete")}
          aria-label={`Complete the adoption of ${words}`}
        >
          Complete
        </a>
      )}
      {allowed.includes("cancel") && (
        <a
          class="button small secondary outline"
          href={adoptionsPath(filter, id, "cancel")}
          aria-label={`Cancel the adoption of ${words}`}
        >
          Cancel
        </a>
      )}
    </div>
  );
};

const Row = ({
  adoption,
  filter,
  mayChange,
  width,
}: {
  adoption: Adoption;
  filter: Filter;
  mayChange: boolean;
  /** How many columns there are. */
  width: number;
}) => {
  const { id, note, status, createdAt, updatedAt } = adoption;
  const approving = useStep(id, "approve");
  return (
    <>
      <tr>
        <td class="number" data-column="Id">
          {id}
        </td>
        <td data-column="Animal">
          <AnimalName adoption={adoption} />
        </td>
        <td data-column="Adopter">
          <div>
            <AdopterName adoption={adoption} />
          </div>
        </td>
        <td data-column="Note">
          <Note text={note} />
        </td>
        <td data-column="Status">
          <Badge tone={TONES[status]}>{status}</Badge>
        </td>
        <td data-column="Placed">
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
            <Actions adoption={adoption} filter={filter} approving={approving} />
            <span class="visually-hidden" role="status">
              {approving.isSuccess && stepMessage(adoption)}
            </span>
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

const COLUMNS = [{ name: "Id", kind: "number" }, "Animal", "Adopter", "Note", "Status", "Placed"] as const;

/** A table of adoptions with their actions. */
export const Rows = ({ adoptions, filter }: { adoptions: readonly Adoption[]; filter: Filter }) => {
  const mayChange = useSession().can("orders:write");
  const columns = [...COLUMNS, ...(mayChange ? [{ name: "Actions", kind: "actions" as const }] : [])];
  return (
    <Table label="Adoptions" kind="adoptions stack" columns={columns}>
      {adoptions.map((adoption) => (
        <Row
          key={adoption.id}
          adoption={adoption}
          filter={filter}
          mayChange={mayChange}
          width={columns.length}
        />
      ))}
    </Table>
  );
};
