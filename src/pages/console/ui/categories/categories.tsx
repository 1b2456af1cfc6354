import { useQueryClient } from "@tanstack/preact-query";
import { animalsPath } from "../animals/animal.ts";
import { dataOf, hasCode, store } from "../api/client.ts";
import { About, Confirm, Dialog, DialogForm, ItemDialog, useDraftGuard } from "../parts/dialog.tsx";
import { Notice, Page, Problem } from "../parts/page.tsx";
import { TextField, useDraft } from "../parts/form.tsx";
import { ActionButton, type ActionState, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { formatCount, pluralize } from "../parts/wording.ts";
import { type Category, FIELDS, addedWords, categoriesPath } from "./category.ts";
import { CustomFields } from "./fields.tsx";
import { CATEGORIES, MAX_CATEGORIES, useCategories, useCounts } from "./queries.ts";
import { useSession } from "../session.tsx";
import { useRoute } from "../parts/navigation.ts";
import { useLiveAnimals } from "../animals/live.ts";
import { ANIMALS } from "../animals/queries.ts";
import { idOf } from "../parts/address.ts";
import { reread } from "../parts/reads.ts";
import { useStored } from "../parts/stored.ts";
import { type Column, List, RowLinks, byId } from "../parts/table.tsx";

const BACK = categoriesPath();

interface OneProps {
  category: Category;
}

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

const NewCategory = () => {
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

const USUAL_SPECIES = ["Dog", "Cat", "Rabbit", "Guinea pig", "Bird", "Reptile"];

/** Adds the category. An existing one stays as it is, so the request can be repeated. */
const ensureCategory = async (name: string): Promise<void> => {
  try {
    await dataOf(store.POST("/categories", { body: { name } }));
  } catch (error) {
    if (!hasCode(error as Error, "category_name_taken")) throw error;
  }
};

/** Offers to create the usual species, until there is a category or the user declines. */
export const UsualSpecies = () => {
  const { data: categories } = useCategories();
  const { storeId, can } = useSession();
  const [answer, setAnswer] = useStored(`adoption-store usual species answered ${storeId}`);
  const finish = () => setAnswer("yes");
  const adding = useAction({
    act: async () => {
      for (const name of USUAL_SPECIES) await ensureCategory(name);
    },
    changes: [CATEGORIES],
    onDone: finish,
    says: () => "Usual species added",
  });
  // A repetition is offered after an error, although the first categories exist.
  const isOffered = categories?.length === 0 || adding.isPending || adding.error !== null;
  if (!can("pets:write") || answer !== "" || !isOffered) return null;
  return (
    <Notice tone="quiet">
      {adding.error && <Problem error={adding.error} />}
      <p>Start with the usual species: {USUAL_SPECIES.join(", ")}. You can rename and delete them.</p>
      <div class="buttons">
        <ActionButton action={adding} class="small">
          Add the usual species
        </ActionButton>
        <button type="button" class="small secondary outline" onClick={finish}>
          No, thanks
        </button>
      </div>
    </Notice>
  );
};

const NAME: Column<Category> = {
  name: "Name",
  cell: ({ id, name }) => (
    <a href={animalsPath({ category: String(id) })} aria-label={`Animals in ${name}`}>
      <bdi>{name}</bdi>
    </a>
  ),
};

const ACTIONS: Column<Category> = {
  name: "Actions",
  kind: "actions",
  cell: ({ id, name }) => (
    <RowLinks
      name={name}
      links={{ Rename: categoriesPath(id, "rename"), Delete: categoriesPath(id, "delete") }}
    />
  ),
};

const CategoryList = () => {
  const mayChange = useSession().can("pets:write");
  const found = useCategories();
  const queries = useQueryClient();
  const counts = useCounts().data;
  useLiveAnimals({ onGap: () => void reread(queries, ANIMALS) });
  const { length } = found.categories;
  const columns: readonly Column<Category>[] = [
    { name: "No.", kind: "number", cell: ({ id }) => id },
    NAME,
    {
      name: "Animals",
      kind: "number",
      // One that was just added has none.
      cell: ({ id }) => (counts ? formatCount(counts.get(id) ?? 0) : "–"),
    },
    ...(mayChange ? [ACTIONS] : []),
  ];
  return (
    <List
      found={found}
      items={found.categories}
      thing="category"
      things="categories"
      words={`${length < MAX_CATEGORIES ? "" : "The first "}${pluralize(length, "category", "categories")}`}
      purpose="Group animals by kind, such as dogs and cats."
      table={{ label: "Categories", kind: "categories placed", stackBelow: 34, columns, keyOf: byId }}
    />
  );
};

export const Categories = () => {
  const { id, part, act } = useRoute().params;
  const mayChange = useSession().can("pets:write");
  const found = useCategories();
  const isDeletion = part === "delete";
  return (
    <Page title="Categories" add={mayChange && { href: categoriesPath("new"), label: "Add category" }}>
      <UsualSpecies />
      <CategoryList />
      {/* After the categories, so that nothing moves when they arrive. */}
      {!found.isLoading && <CustomFields id={id === "fields" ? part : undefined} act={act} />}
      {mayChange && id === "new" && <NewCategory />}
      {mayChange && idOf(id) && part && (
        <ItemDialog
          key={id}
          title={isDeletion ? "Delete category" : "Rename category"}
          back={BACK}
          thing="category"
          found={found}
          find={(one) => one.id === idOf(id)}
        >
          {(category) =>
            isDeletion ? <DeleteForm category={category} /> : <RenameForm category={category} />
          }
        </ItemDialog>
      )}
    </Page>
  );
};
