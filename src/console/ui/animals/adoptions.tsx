import { useQuery } from "@tanstack/preact-query";
import { AdopterName } from "../adoptions/adopter.tsx";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { TONES } from "../adoptions/order.ts";
import { OF_ANIMAL } from "../adoptions/queries.ts";
import { pageOf, store } from "../api/client.ts";
import { Badge, Loading, Problem } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
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
export const AnimalAdoptions = ({ id }: { id: number }) => {
  const { data, error, isPending, refetch } = useAdoptionsOf(id);
  const path = adoptionsPath({ animal: id });
  if (isPending) return <Loading what={WORDS.loadingAdoptions} />;
  return (
    <>
      {error && <Problem error={error} onRetry={refetch} />}
      {data?.items.length === 0 && <p>{WORDS.noAdoptions}</p>}
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
            <a href={path}>{WORDS.showInAdoptions}</a>
          </p>
        </>
      )}
    </>
  );
};
