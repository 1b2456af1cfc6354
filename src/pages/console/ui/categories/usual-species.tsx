import { ActionButton, useAction } from "../parts/action.tsx";
import { useState } from "preact/hooks";
import { dataOf, hasCode, store } from "../api/client.ts";
import { Notice, Problem } from "../parts/feedback.tsx";
import { useSession } from "../session.tsx";
import { CATEGORIES, useCategories } from "./queries.ts";

/** The species that most shelters have. */
const USUAL_SPECIES = ["Dog", "Cat", "Rabbit", "Guinea pig", "Bird", "Reptile"];

const answerKey = (storeId: string): string => `adoption-store usual species answered ${storeId}`;

const isAnswered = (storeId: string): boolean => {
  try {
    return localStorage.getItem(answerKey(storeId)) !== null;
  } catch {
    return false;
  }
};

const rememberAnswer = (storeId: string): void => {
  try {
    localStorage.setItem(answerKey(storeId), "yes");
  } catch {
    // Without storage, the offer ends with the first category.
  }
};

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
  const [isDone, setDone] = useState(() => isAnswered(storeId));
  const finish = () => {
    rememberAnswer(storeId);
    setDone(true);
  };
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
  if (!can("pets:write") || isDone || !isOffered) return null;
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
