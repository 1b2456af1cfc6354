import { WITH_PROFILES } from "../animals/queries.ts";
import type { CustomField } from "../animals/profile.ts";
import { dataOf, hasCode, store } from "../api/client.ts";
import { useAction, useIdempotencyKey } from "../parts/action.tsx";
import { About, Confirm, Dialog, DialogForm, useDraftGuard } from "../parts/dialog.tsx";
import { idOf } from "../parts/address.ts";
import { Check, SelectField, TextField, useDraft } from "../parts/form.tsx";
import { MoveButtons } from "../parts/move.tsx";
import { moved } from "../parts/records.ts";
import { One, Problem } from "../parts/page.tsx";
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
  choices: {
    missing: "Enter at least one choice.",
    otherwise: "Enter up to 50 different choices, each on a line.",
  },
};

const useFieldForm = (given: FieldDraft) => {
  const form = useDraft(given);
  useDraftGuard(form.isDirty);
  return form;
};

const FieldFields = ({ form: { draft, bind, change } }: { form: ReturnType<typeof useFieldForm> }) => (
  <>
    <TextField label="Label" required {...bind("label")} />
    <TextField
      label="Name in the API"
      isCode
      hint="A new name keeps the values."
      {...bind("name")}
      value={draft.name || nameOf(draft.label)}
    />
    {draft.kind === "choice" && (
      <TextField label="Choices" rows={4} hint="Each on a line of its own." {...bind("choices")} />
    )}
    <Check isChecked={draft.isPublic} onCheck={(isPublic) => change({ isPublic })}>
      Adopters may see it
    </Check>
  </>
);

const NewField = () => {
  const header = useIdempotencyKey();
  const form = useFieldForm({ label: "", name: "", kind: "text", choices: "", isPublic: false });
  const { draft, bind } = form;
  const adding = useAction({
    act: (draft: FieldDraft) =>
      dataOf(store.POST("/fields", { params: { header }, body: { ...fieldOf(draft), kind: draft.kind } })),
    changes: CHANGES,
    at: BACK,
    says: ({ label }) => `“${label}” added`,
  });
  return (
    <Dialog title="Add field" back={BACK}>
      <DialogForm action={adding} words={WORDS} label="Add" onSubmit={() => adding.run(draft)}>
        <SelectField label="Kind" options={KINDS} hint="It never changes." {...bind("kind")} />
        <FieldFields form={form} />
      </DialogForm>
    </Dialog>
  );
};

const changeField = (fieldId: number, body: object) =>
  dataOf(store.PATCH("/fields/{fieldId}", { params: { path: { fieldId } }, body }));

interface OneProps {
  field: CustomField;
}

const EditForm = ({ field }: OneProps) => {
  const form = useFieldForm(fieldDraftOf(field));
  const saving = useAction({
    act: (draft: FieldDraft) => changeField(field.id, fieldOf(draft)),
    isUnchanged: () => !form.isDirty,
    changes: CHANGES,
    at: BACK,
    says: ({ label }) => `“${label}” changed`,
    undo: () => changeField(field.id, fieldOf(fieldDraftOf(field))),
  });
  return (
    <DialogForm action={saving} words={WORDS} label="Save" onSubmit={() => saving.run(form.draft)}>
      <FieldFields form={form} />
    </DialogForm>
  );
};

/** The first press deletes a field without values. If it has some, the API refuses, and the second press confirms their number. */
const DeleteForm = ({ field: { id: fieldId, label } }: OneProps) => {
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

const FieldDialog = ({ id, isDeletion }: { id: number; isDeletion: boolean }) => (
  <Dialog title={isDeletion ? "Delete field" : "Edit field"} back={BACK}>
    <One found={useCustomFields()} what="the field" withErrors>
      {(fields) => {
        const field = fields.find((one) => one.id === id);
        if (!field) return <Problem error="This field no longer exists." />;
        return isDeletion ? <DeleteForm field={field} /> : <EditForm field={field} />;
      }}
    </One>
  </Dialog>
);

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
  const chosen = idOf(id);
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
      {mayChange && id === "new" && <NewField />}
      {mayChange && chosen !== undefined && (
        <FieldDialog key={`${chosen} ${act}`} id={chosen} isDeletion={act === "delete"} />
      )}
    </section>
  );
};
