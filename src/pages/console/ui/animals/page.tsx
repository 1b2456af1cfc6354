import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { type Order, TONES, adoptionsPath } from "../adoptions/order.ts";
import { AdopterName, Note } from "../adoptions/adoptions.tsx";
import { OF_ANIMAL } from "../adoptions/queries.ts";
import { pageOf, store } from "../api/client.ts";
import { History } from "../audit/activity.tsx";
import { Badge, Notice, One, Page, Time } from "../parts/page.tsx";
import { useLocation } from "../parts/navigation.ts";
import { type Column, Table, byId } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { type Animal, animalPath, animalsPath, viewOf } from "./animal.ts";
import { AnimalFacts, KennelCard, Portrait } from "./card.tsx";
import { AnimalDialog, AnimalLinks } from "./dialogs.tsx";
import { useLiveAnimals } from "./live.ts";
import { rereadAnimal, useAnimal } from "./queries.ts";

/** The rest is in the area of adoptions. */
const MAX_SHOWN = 20;

const useAdoptionsOf = (petId: number) => {
  const query = { petId, sort: "-id", limit: MAX_SHOWN } as const;
  return useQuery({
    queryKey: [...OF_ANIMAL, petId],
    queryFn: ({ signal }) => pageOf(store.GET("/store/orders", { params: { query }, signal })),
    // Adopters' data is not kept longer than it is shown.
    gcTime: 0,
  });
};

const COLUMNS: readonly Column<Order>[] = [
  { name: "No.", kind: "number", cell: ({ id }) => id },
  {
    name: "Adopter",
    cell: (order) => (
      <div class="adopter">
        <AdopterName adoption={order} />
      </div>
    ),
  },
  {
    name: "Status",
    cell: ({ status, returnReason }) => (
      <>
        <Badge tone={TONES[status]}>{status}</Badge> <Note text={returnReason} />
      </>
    ),
  },
  { name: "Started", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const AnimalAdoptions = ({ id }: { id: number }) => (
  <One found={useAdoptionsOf(id)} what="adoptions" withErrors>
    {({ items }) =>
      items.length === 0 ? (
        <p>No adoptions yet</p>
      ) : (
        <>
          <Table
            label="Adoptions"
            kind="adoptions-of"
            stackBelow={40}
            columns={COLUMNS}
            items={items}
            keyOf={byId}
          />
          <p>
            <a href={adoptionsPath({ animal: id })}>Show in adoptions</a>
          </p>
        </>
      )
    }
  </One>
);

const Details = ({ animal, arrange }: { animal: Animal; arrange: string }) => (
  <div class="card">
    <Portrait animal={animal} arrange={arrange} />
    <div>
      <article>
        <h2>Facts</h2>
        <AnimalFacts animal={animal} />
      </article>
      {useSession().can("orders:read") && (
        <article>
          <h2>Adoptions</h2>
          <AnimalAdoptions id={animal.id} />
        </article>
      )}
    </div>
    <History resource="pet" id={animal.id} />
  </div>
);

/** The page of one animal. It follows changes that others make. */
export const AnimalPage = ({ id, act }: { id: number; act: string | undefined }) => {
  const queries = useQueryClient();
  const view = viewOf(useLocation().query);
  const found = useAnimal(id);
  const { data: animal } = found;
  const list = animalsPath(view);
  useLiveAnimals({ onGap: () => void rereadAnimal(queries, id) });
  if (act === "print" && animal) return <KennelCard animal={animal} back={animalPath(id, view)} />;
  return (
    <Page
      title={animal?.name ?? `Animal ${id}`}
      back={{ href: list, label: "Back to animals" }}
      actions={
        animal && (
          <>
            <a class="button secondary outline" href={animalPath(id, view, "print")}>
              Kennel card
            </a>
            <AnimalLinks
              animal={animal}
              pathOf={(act) => animalPath(id, view, act)}
              linkClass="button secondary outline"
            />
          </>
        )
      }
    >
      <One found={found} what="the animal" withErrors>
        {(animal) =>
          animal ? (
            <Details animal={animal} arrange={animalPath(id, view, "photos")} />
          ) : (
            <Notice tone="waiting">This animal was deleted.</Notice>
          )
        }
      </One>
      <AnimalDialog id={id} act={act} back={animalPath(id, view)} after={list} />
    </Page>
  );
};
