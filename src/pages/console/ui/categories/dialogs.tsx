import type { ComponentType } from "preact";
import { animalsPath } from "../animals/addresses.ts";
import { dataOf, hasCode, store } from "../api/client.ts";
import { About, Confirm, Dialog, DialogForm, useDraftGuard } from "../parts/dialog.tsx";
import { One, Problem } from "../parts/feedback.tsx";
import { TextField, useDraft } from "../parts/form.tsx";
import { type ActionState, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { pluralize } from "../parts/wording.ts";
import { type Category, FIELDS, addedWords, categoriesPath, categoryOf } from "./category.ts";
import { CATEGORIES, useCategories, useCounts } from "./queries.ts";

const BACK = categoriesPath();

interface OneProps {
  category: Category;
}

/** The dialog about the category with an id. */
const dialogOf = (title: string, Content: ComponentType<OneProps>) => (props: { id: number }) => (
  <Dialog title={title} back={BACK}>
    <One found={useCategories()} what="the category" withErrors>
      {(categories) => {
        const category = categoryOf(categories, props.id);
        return category ? (
          <Content category={category} />
        ) : (
          <Problem error="This category no longer exists." />
        );
      }}
    </One>
  </Dialog>
);

const NameForm = ({
  given = "",
  label,
  action,
}: {
  given?: string;
  label: string;
  action: ActionState<string, Category>;
}) => {
  const { draft, bind, isDirty } = useDraft({ name: given });
  useDraftGuard(isDirty);
  return (
    <DialogForm action={action} words={FIELDS} label={label} onSubmit={() => action.run(draft.name)}>
      <TextField label="Name" required {...bind("name")} />
    </DialogForm>
  );
};

export const NewCategory = () => {
  const header = useIdempotencyKey();
  const add = useAction({
    act: (name: string) => dataOf(store.POST("/categories", { params: { header }, body: { name } })),
    changes: [CATEGORIES],
    at: BACK,
    says: addedWords,
  });
  return (
    <Dialog title="Add category" back={BACK}>
      <NameForm label="Add" action={add} />
    </Dialog>
  );
};

const RenameForm = ({ category: { id, name: before } }: OneProps) => {
  const send = (name: string) =>
    dataOf(store.PATCH("/categories/{categoryId}", { params: { path: { categoryId: id } }, body: { name } }));
  const rename = useAction({
    act: send,
    isUnchanged: (name) => name === before,
    changes: [CATEGORIES],
    at: BACK,
    says: ({ name }) => `“${before}” renamed to “${name}”`,
    undo: () => send(before),
  });
  return <NameForm given={before} label="Rename" action={rename} />;
};

export const RenameCategory = dialogOf("Rename category", RenameForm);

const DeleteForm = ({ category: { id, name } }: OneProps) => {
  const deleting = useAction({
    act: () => store.DELETE("/categories/{categoryId}", { params: { path: { categoryId: id } } }),
    changes: [CATEGORIES],
    at: BACK,
    says: () => `“${name}” deleted`,
  });
  const count = useCounts().data?.get(id) ?? 0;
  return (
    <Confirm action={deleting} label="Delete" isDangerous isEnabled={count === 0}>
      <About name={name}>
        {count > 0
          ? `has ${pluralize(count, "animal")}, so it can't be deleted. Move ${count === 1 ? "it" : "them"} to another category first.`
          : "will be deleted permanently. This can't be undone."}
      </About>
      {(count > 0 || hasCode(deleting.error, "category_in_use")) && (
        <p>
          <a href={animalsPath({ category: String(id) })}>Show its animals</a>
        </p>
      )}
    </Confirm>
  );
};

export const DeleteCategory = dialogOf("Delete category", DeleteForm);
