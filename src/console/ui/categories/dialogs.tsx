import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { animalsPath } from "../animals/addresses.ts";
import { ApiError, dataOf, hasCode, store } from "../api/client.ts";
import { Dialog, DialogButtons, useDraftGuard } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { Field, Form } from "../parts/form.tsx";
import { type ActionState, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { type Category, categoriesPath, categoryOf } from "./category.ts";
import { CATEGORIES, useCategories, useCounts } from "./queries.ts";
import { FIELDS, WORDS } from "./words.ts";
import { pluralize } from "../parts/wording.ts";

const UNKNOWN = new ApiError(404, "not_found", "This category no longer exists.");

/** A dialog about one category. */
const OneCategory = ({
  id,
  title,
  children,
}: {
  id: number;
  title: string;
  children: (category: Category) => ComponentChildren;
}) => {
  const { data, error, isPending, refetch } = useCategories();
  const category = data && categoryOf(data, id);
  return (
    <Dialog title={title} back={categoriesPath()}>
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && !error && <Loading what="Loading the category" />}
      {data && !category && <Problem error={UNKNOWN} />}
      {category && children(category)}
    </Dialog>
  );
};

/** The form for a category's name. */
const NameForm = ({
  given = "",
  submitLabel,
  action: { error, isPending, run },
}: {
  given?: string;
  submitLabel: string;
  action: ActionState<string, Category>;
}) => {
  const [name, setName] = useState(given);
  useDraftGuard(name !== given);
  return (
    <Form error={error} words={FIELDS} onSubmit={() => run(name)}>
      <Field label={WORDS.name} name="name">
        {(tied) => (
          <input
            {...tied}
            name="name"
            required
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <DialogButtons back={categoriesPath()} label={submitLabel} isBusy={isPending} />
    </Form>
  );
};

/** The dialog that adds a category. */
export const NewCategory = () => {
  const header = useIdempotencyKey();
  const add = useAction({
    act: (name: string) => dataOf(store.POST("/categories", { params: { header }, body: { name } })),
    changes: [CATEGORIES],
    at: categoriesPath(),
    says: ({ name }) => WORDS.added(name),
  });
  return (
    <Dialog title={WORDS.add} back={categoriesPath()}>
      <NameForm submitLabel="Add" action={add} />
    </Dialog>
  );
};

const RenameForm = ({ category: { id, name: before } }: { category: Category }) => {
  const send = (name: string) =>
    dataOf(store.PATCH("/categories/{categoryId}", { params: { path: { categoryId: id } }, body: { name } }));
  const rename = useAction({
    act: send,
    isUnchanged: (name) => name === before,
    changes: [CATEGORIES],
    at: categoriesPath(),
    says: ({ name }) => `“${before}” renamed to “${name}”`,
    undo: () => send(before),
  });
  return <NameForm given={before} submitLabel={WORDS.renameButton} action={rename} />;
};

/** The dialog that renames a category. */
export const RenameCategory = ({ id }: { id: number }) => (
  <OneCategory id={id} title="Rename category">
    {(category) => <RenameForm category={category} />}
  </OneCategory>
);

const DeleteForm = ({ category: { id, name } }: { category: Category }) => {
  const { run, error, isPending } = useAction({
    act: () => store.DELETE("/categories/{categoryId}", { params: { path: { categoryId: id } } }),
    changes: [CATEGORIES],
    at: categoriesPath(),
    says: () => `“${name}” deleted`,
  });
  const count = useCounts().data?.get(id) ?? 0;
  return (
    <>
      {error && <Problem error={error} />}
      <p>
        <bdi>
          <strong>{name}</strong>
        </bdi>{" "}
        {count > 0
          ? `has ${pluralize(count, "animal")}, so it can't be deleted. Move ${count === 1 ? "it" : "them"} to another category first.`
          : "will be deleted permanently. This can't be undone."}
      </p>
      {(count > 0 || hasCode(error, "category_in_use")) && (
        <p>
          <a href={animalsPath({ category: String(id) })}>Show its animals</a>
        </p>
      )}
      <DialogButtons
        back={categoriesPath()}
        label={WORDS.deleteButton}
        isBusy={isPending}
        isDangerous
        isEnabled={count === 0}
        onConfirm={() => run()}
      />
    </>
  );
};

/** The dialog that deletes a category. */
export const DeleteCategory = ({ id }: { id: number }) => (
  <OneCategory id={id} title="Delete category">
    {(category) => <DeleteForm category={category} />}
  </OneCategory>
);
