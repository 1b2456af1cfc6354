import { useQueryClient } from "@tanstack/preact-query";
import { History } from "../audit/entries.tsx";
import { hasCode } from "../api/client.ts";
import { useCategories } from "../categories/queries.ts";
import { Loading, Notice, Problem } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/router.ts";
import { useSession } from "../session.tsx";
import { animalPath, animalsPath, viewOf } from "./addresses.ts";
import { AnimalAdoptions } from "./adoptions.tsx";
import { AnimalDialog } from "./dialogs.tsx";
import { useLiveAnimals } from "./live.ts";
import { rereadAnimal, useAnimal } from "./queries.ts";
import { AnimalLinks, CategoryName, StatusBadge } from "./rows.tsx";
import type { Animal } from "./statistics.ts";
import { WORDS } from "./words.ts";

const Facts = ({ animal: { id, categoryId, status } }: { animal: Animal }) => {
  const { categories } = useCategories();
  return (
    <dl class="animal">
      <div>
        <dt>{WORDS.columns.id}</dt>
        <dd>{id}</dd>
      </div>
      <div>
        <dt>{WORDS.columns.category}</dt>
        <dd>
          <a href={animalsPath({ category: String(categoryId) })}>
            <CategoryName id={categoryId} categories={categories} />
          </a>
        </dd>
      </div>
      <div>
        <dt>{WORDS.columns.status}</dt>
        <dd>
          <StatusBadge status={status} />
        </dd>
      </div>
    </dl>
  );
};

/** What is known about an animal, and what may be done with it. */
const Details = ({ animal }: { animal: Animal }) => {
  const mayReadOrders = useSession().can("orders:read");
  return (
    <>
      <Facts animal={animal} />
      {mayReadOrders && (
        <section>
          <h2>{WORDS.adoptions}</h2>
          <AnimalAdoptions id={animal.id} />
        </section>
      )}
      <History resource="pet" id={animal.id} />
    </>
  );
};

/** The page of one animal. It follows changes that others make. */
export const AnimalPage = ({ id, act }: { id: number; act: string | undefined }) => {
  const queries = useQueryClient();
  const view = viewOf(useLocation().query);
  const { data: animal, error, isPending, refetch } = useAnimal(id);
  const list = animalsPath(view);
  const path = animalPath(id, view);
  useLiveAnimals({ onGap: () => void rereadAnimal(queries, id) });
  return (
    <Page
      title={animal?.name ?? WORDS.one(id)}
      back={{ href: list, label: WORDS.back }}
      actions={
        animal && (
          <AnimalLinks
            animal={animal}
            pathOf={(act) => animalPath(id, view, act)}
            linkClass="button secondary outline"
          />
        )
      }
    >
      {error && <Problem error={error} {...(!hasCode(error, "not_found") && { onRetry: refetch })} />}
      {isPending && !error && <Loading what={WORDS.loadingOne} />}
      {animal === null && <Notice tone="waiting">{WORDS.wasDeleted}</Notice>}
      {animal && <Details animal={animal} />}
      <AnimalDialog id={id} act={act} back={path} after={list} />
    </Page>
  );
};
