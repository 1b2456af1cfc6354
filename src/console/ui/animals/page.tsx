import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { AdopterName } from "../adoptions/facts.tsx";
import { TONES } from "../adoptions/order.ts";
import { OF_ANIMAL } from "../adoptions/queries.ts";
import { hasCode, pageOf, store } from "../api/client.ts";
import { History } from "../audit/entries.tsx";
import { useCategories } from "../categories/queries.ts";
import { Badge, Loading, Notice, Problem } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/navigation.ts";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { animalPath, animalsPath, viewOf } from "./addresses.ts";
import { AnimalDialog } from "./dialogs.tsx";
import { useLiveAnimals } from "./live.ts";
import { rereadAnimal, useAnimal } from "./queries.ts";
import { AnimalLinks, CategoryName, StatusBadge } from "./rows.tsx";
import type { Animal } from "./animal.ts";
import { WORDS } from "./words.ts";

/** The rest is in the area of adoptions. */
const MAX_SHOWN = 20;

const useAdoptionsOf = (petId: number) =>
  useQuery({
    queryKey: [...OF_ANIMAL, petId],
    queryFn: ({ signal }) =>
      pageOf(
        store.GET("/store/orders", { params: { query: { petId, sort: "-id", limit: MAX_SHOWN } }, signal }),
      ),
    // Adopters' data is not kept longer than it is shown.
    gcTime: 0,
  });

/** The adoptions of an animal, the newest first. */
const AnimalAdoptions = ({ id }: { id: number }) => {
  const { data, error, isPending, refetch } = useAdoptionsOf(id);
  const path = adoptionsPath({ animal: id });
  if (isPending) return <Loading what="Loading adoptions" />;
  return (
    <>
      {error && <Problem error={error} onRetry={refetch} />}
      {data?.items.length === 0 && <p>No adoptions yet</p>}
      {data && data.items.length > 0 && (
        <>
          <Table
            label={WORDS.adoptions}
            kind="adoptions-of"
            stackBelow={40}
            columns={[
              { name: WORDS.columns.id, kind: "number" },
              WORDS.adopter,
              WORDS.columns.status,
              WORDS.started,
            ]}
          >
            {data.items.map((order) => (
              <tr key={order.id}>
                <td class="number" data-column={WORDS.columns.id}>
                  {order.id}
                </td>
                <td data-column={WORDS.adopter}>
                  <div class="adopter">
                    <AdopterName adoption={order} />
                  </div>
                </td>
                <td data-column={WORDS.columns.status}>
                  <Badge tone={TONES[order.status]}>{order.status}</Badge>
                </td>
                <td data-column={WORDS.started}>
                  <Time at={order.createdAt} />
                </td>
              </tr>
            ))}
          </Table>
          <p>
            <a href={path}>Show in adoptions</a>
          </p>
        </>
      )}
    </>
  );
};

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

/** An animal's details and its actions. */
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
      title={animal?.name ?? `Animal ${id}`}
      back={{ href: list, label: "Back to animals" }}
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
      {animal === null && <Notice tone="waiting">This animal was deleted.</Notice>}
      {animal && <Details animal={animal} />}
      <AnimalDialog id={id} act={act} back={path} after={list} />
    </Page>
  );
};
