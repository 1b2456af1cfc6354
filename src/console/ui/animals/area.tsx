import { idOf } from "../parts/id.ts";
import { useLocation, useRoute } from "../parts/router.ts";
import { isOnPage } from "./addresses.ts";
import { AnimalList } from "./list.tsx";
import { AnimalPage } from "./page.tsx";

/** The list of animals or the page of one, with the dialog that the address names. */
export const Animals = () => {
  const { query } = useLocation();
  const { part, act } = useRoute().params;
  const id = idOf(part);
  return id !== undefined && (act === undefined || isOnPage(query)) ? (
    <AnimalPage key={id} id={id} act={act} />
  ) : (
    <AnimalList />
  );
};
