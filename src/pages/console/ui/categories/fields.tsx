import { WITH_PROFILES } from "../animals/queries.ts";
import type { CustomField } from "../animals/profile.ts";
import { dataOf, hasCode, store } from "../api/client.ts";
import { useAction, useIdempotencyKey } from "../parts/action.tsx";
import { About, Confirm, Dialog, DialogForm, ItemDialog, useDraftGuard } from "../parts/dialog.tsx";
import { idOf } from "../parts/address.ts";
import { Check, SelectField, TextField, useDraft } from "../parts/form.tsx";
import { MoveButtons } from "../parts/move.tsx";
import { moved } from "../parts/records.ts";
import { type Column, List, RowLinks, byId } from "../parts/table.tsx";
import { type FormWords, pluralize, problemAt, problemsOf } from "../parts/wording.ts";
import { useSession } from "../session.tsx";
import { categoriesPath } from "./category.ts";
import { type FieldDraft, KINDS, fieldOf, fieldDraftOf, nameOf } from "./field.ts";
import { CUSTOM_FIELDS, useCustomFields } from "./queries.ts";

const BACK = categoriesPath();

/** A field's name and values are in the profiles that the console has read. */
const CHANGES = [CUSTOM_FIELDS, ...WITH_PROFILES];

const WORDS: FormWords = {
  label: { missing: "Enter a label." },
  name: {
    otherwise: "Use up to 40 letters A to Z and digits. Begin with a small letter.",
    rules: { taken: "Another field already has this name. Choose another." },
  },
  choices: { otherwise: "Enter up to 50 different choices, each on a line." },
};

const changeField = (fieldId: number, body: object) =>
  dataOf(store.PATCH("/fields/{fieldId}", { params: { path: { fieldId } }, body }));

/** Adds a field, or changes one. */
const FieldForm = ({ field }: { field?: CustomField }) => {
  const header = useIdempotencyKey();
  const given = fieldDraftOf(field);
  const { draft, bind, change, isDirty } = useDraft(given);
  useDraftGuard(isDirty);
  const saving = useAction({
    act: (draft: FieldDraft) =>
      field
        ? changeField(field.id, fieldOf(draft))
        : dataOf(
            store.POST("/fields", { params: { header }, body: { ...fieldOf(draft), kind: draft.kind } }),
          ),
    isUnchanged: () => field !== undefined && !isDirty,
    changes: CHANGES,
    at: BACK,
    says: ({ label }) => `“${label}” ${field ? "changed" : "added"}`,
    ...(field && { undo: () => changeField(field.id, fieldOf(given)) }),
  });
  return (
    <DialogForm
      action={saving}
      words={WORDS}
      label={field ? "Save" : "Add"}
      onSubmit={() => saving.run(draft)}
    >
      {!field && <SelectField label="Kind" options={KINDS} hint="It never changes." {...bind("kind")} />}
      <TextField label="Label" required {...bind("label")} />
      <TextField
        label="Name in the API"
        isCode
        hint="A new name keeps the values."
        {...bind("name")}
        value={draft.name || nameOf(draft.label)}
      />
      {draft.kind === "choice" && (
        <TextField label="Choices" rows={4} hint="One per line." {...bind("choices")} />
      )}
      <Check isChecked={draft.public} onCheck={(isPublic) => change({ public: isPublic })}>
        Adopters may see it
      </Check>
    </DialogForm>
  );
};

/** The first press deletes a field without values. If it has some, the API refuses, and the second press confirms their number. */
const DeleteForm = ({ field: { id: fieldId, label } }: { field: CustomField }) => {
  const deleting = useAction({
    act: (confirm: number) =>
      store.DELETE("/fields/{fieldId}", { params: { path: { fieldId }, query: { confirm } } }),
    changes: CHANGES,
    at: BACK,
    says: () => `“${label}” deleted`,
  });
  const { error } = deleting;
  const isAsked = hasCode(error, "confirmation_required");
  const count = isAsked ? (problemAt(problemsOf(error), "confirm")?.min ?? 0) : 0;
  return (
    <Confirm
      action={{ ...deleting, error: isAsked ? null : error, run: () => deleting.run(count) }}
      label={isAsked ? `Delete ${pluralize(count, "value")}` : "Delete"}
      isDangerous
    >
      <About name={label}>will be deleted permanently. This can't be undone.</About>
      <p role="alert">
        {isAsked &&
          `${pluralize(count, "animal")} ${count === 1 ? "has" : "have"} a value, which will be lost.`}
      </p>
    </Confirm>
  );
};

/** Gives fields their places in the order, by as few requests as they need. */
const useOrdering = (fields: readonly CustomField[]) =>
  useAction({
    async act({ field, to }: { field: CustomField; to: number }) {
      for (const [position, one] of moved(fields, field, to).entries())
        if (one.position !== position) await changeField(one.id, { position });
    },
    changes: [CUSTOM_FIELDS],
    says: (_, { field, to }) => `“${field.label}” is now number ${to + 1} of ${fields.length}`,
    isErrorToast: true,
  });

/** The custom fields of profiles, and their dialogs. @param id "new", or the id of the field of a dialog */
export const CustomFields = ({ id, act }: { id: string | undefined; act: string | undefined }) => {
  const mayChange = useSession().can("pets:write");
  const found = useCustomFields();
  const fields = found.data ?? [];
  const ordering = useOrdering(fields);
  const columns: readonly Column<CustomField>[] = [
    { name: "Label", cell: ({ label }) => <bdi>{label}</bdi> },
    { name: "Name", cell: ({ name }) => <code>{name}</code> },
    { name: "Kind", cell: ({ kind }) => KINDS.find(([value]) => value === kind)?.[1] },
    { name: "Adopters", cell: (field) => (field.public ? "See it" : "Don't see it") },
    {
      name: "Actions",
      kind: "actions",
      cell: (field) => (
        <>
          <MoveButtons
            name={field.label}
            at={fields.indexOf(field)}
            count={fields.length}
            onMove={(to) => ordering.run({ field, to })}
          />
          <RowLinks
            name={field.label}
            links={{
              Edit: categoriesPath("fields", field.id, "change"),
              Delete: categoriesPath("fields", field.id, "delete"),
            }}
          />
        </>
      ),
    },
  ];
  return (
    <section class="fields-part">
      <header class="part">
        <h2>Custom fields</h2>
        {mayChange && (
          <a class="button secondary outline" href={categoriesPath("fields", "new")}>
            Add field
          </a>
        )}
      </header>
      <List
        found={found}
        items={fields}
        thing="field"
        purpose="Add what your shelter records about each animal, such as its coat or its last visit to the vet."
        table={{
          label: "Custom fields",
          kind: "fields",
          stackBelow: 44,
          columns: mayChange ? columns : columns.slice(0, -1),
          keyOf: byId,
        }}
      />
      {mayChange && id === "new" && (
        <Dialog title="Add field" back={BACK}>
          <FieldForm />
        </Dialog>
      )}
      {mayChange && idOf(id) && (
        <ItemDialog
          key={`${id} ${act}`}
          title={act === "delete" ? "Delete field" : "Edit field"}
          back={BACK}
          thing="field"
          found={found}
          find={(one) => one.id === idOf(id)}
        >
          {(field) => (act === "delete" ? <DeleteForm field={field} /> : <FieldForm field={field} />)}
        </ItemDialog>
      )}
    </section>
  );
};
