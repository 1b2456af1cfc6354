import { idOf } from "../parts/id.ts";
import { useLocation, useRoute } from "../parts/router.ts";
import { useSession } from "../session.tsx";
import { adoptionPath, adoptionsPath, isOnPage, viewOf } from "./addresses.ts";
import { AdoptionList } from "./list.tsx";
import { AdoptionPage } from "./one.tsx";
import { isFinalStep } from "./order.ts";
import { PlaceAdoption } from "./place.tsx";
import { EndAdoption } from "./step.tsx";

/** The list of adoptions, the page of one, and the dialog above it that the address names. */
export const Adoptions = () => {
  const { query } = useLocation();
  const { part, act } = useRoute().params;
  const mayChange = useSession().can("orders:write");
  const view = viewOf(query);
  const id = idOf(part);
  const onPage = id !== undefined && (act === undefined || isOnPage(query));
  const back = onPage ? adoptionPath(id) : adoptionsPath(view);
  return (
    <>
      {onPage ? <AdoptionPage key={id} id={id} /> : <AdoptionList view={view} />}
      {mayChange && part === "new" && <PlaceAdoption back={back} />}
      {mayChange && id !== undefined && isFinalStep(act) && (
        <EndAdoption key={`${id} ${act}`} id={id} step={act} back={back} hasLink={!onPage} />
      )}
    </>
  );
};
