import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { Dialog, DialogForm } from "../parts/dialog.tsx";
import { useDraft } from "../parts/form.tsx";
import { integerOf } from "../parts/address.ts";
import { useLocation } from "../parts/navigation.ts";
import { useAction } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import { useAnimalActions } from "./queries.ts";
import { type Animal, FIELDS, STATUS_NAMES, type View, animalPath, animalsPath, isStatus } from "./animal.ts";
import { type Outcome, type Wanted, csvOf, failureWords, reasonOf } from "./changes.ts";
import { CategoryField, StatusField } from "./form.tsx";
import { formatCount, pluralize } from "../parts/wording.ts";

const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  // Deferred, because browsers begin the download later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};

/** The actions on the selected animals. It stays at the bottom of the window. */
export const SelectionBar = ({
  selected,
  view,
  onClear,
}: {
  selected: readonly Animal[];
  view: View;
  onClear: () => void;
}) => {
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
export const Failures = ({
  outcome: { changed, failed },
  onClose,
}: {
  outcome: Outcome;
  onClose: () => void;
}) => (
  <div class="notice problem failures" role="alert">
    <p>{failureWords(failed.length, failed.length + changed.length)}</p>
    <ul>
      {failed.map(({ animal: { id, name }, error }) => (
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
    act: ({ wanted }: { wanted: Wanted; what: string }) => changeMany(animals, wanted, setCount),
    onDone,
    at: back,
    says: ({ changed }, { what }) =>
      changed.length > 0
        ? `${pluralize(changed.length, "animal")} ${changed.length === 1 ? "is" : "are"} now ${what}`
        : undefined,
    undo: ({ changed }) => changeBack(changed),
  });
  const isReady = isOfStatus || typeof categoryId === "bigint";
  const wanted = isOfStatus ? { status: status ?? null } : { categoryId };
  return (
    <DialogForm
      action={changing}
      words={FIELDS}
      label={`Change ${pluralize(animals.length, "animal")}`}
      isEnabled={isReady}
      onSubmit={() => isReady && changing.run({ wanted, what })}
    >
      <Names animals={animals} />
      {isOfStatus ? <StatusField {...bind("status")} /> : <CategoryField {...bind("category")} />}
      <p role="status">
        {changing.isPending && count > 0 && `${formatCount(count)} of ${formatCount(animals.length)}`}
      </p>
    </DialogForm>
  );
};

export const BulkDialog = ({ selected, ...bulk }: BulkProps & { selected: readonly Animal[] }) => {
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
