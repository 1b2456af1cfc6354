import { keepPreviousData, useInfiniteQuery } from "@tanstack/preact-query";
import { useLocation, useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { pageOf, store } from "../api/client.ts";
import { counted, inWords } from "../parts/count.ts";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { idOf } from "../parts/id.ts";
import { More } from "../parts/more.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { AddAnimal } from "./add.tsx";
import { ChangeAnimal } from "./change.tsx";
import { Overview, useStatistics } from "./overview.tsx";
import { Rows } from "./rows.tsx";
import { type Animal, countOf, withAdded } from "./statistics.ts";
import { type Status, isStatus } from "./statuses.ts";

const PAGE = 50;

/** The list, page by page; those added just now are in it, wherever their page is. */
const List = ({ status, added }: { status: Status | undefined; added: readonly Animal[] }) => {
  const statistics = useStatistics();
  const found = useInfiniteQuery({
    queryKey: ["animals", "list", status],
    queryFn: ({ pageParam: cursor }) =>
      pageOf(
        store.GET("/pets", {
          params: { query: { limit: PAGE, ...(status && { status }), ...(cursor && { cursor }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // Nothing jumps while another status is read.
    placeholderData: keepPreviousData,
  });
  if (found.isPending) return <Loading what="Loading animals" />;
  const animals = withAdded(found.data?.pages.flatMap(({ items }) => items) ?? [], added, status);
  const all = statistics.data && Math.max(countOf(statistics.data, status), animals.length);
  return (
    <>
      {found.error && <Problem error={found.error} again={found.refetch} />}
      {found.data && animals.length === 0 && (
        <Empty title={status ? `No animal is ${status}` : "No animals yet"}>
          {status && <a href="/console/animals">Show all</a>}
        </Empty>
      )}
      {animals.length > 0 && (
        <div class={found.isPlaceholderData ? "outdated" : ""} aria-busy={found.isPlaceholderData}>
          <Rows animals={animals} added={new Set(added.map(({ id }) => id))} />
          <More
            words={`${inWords(animals.length)}${all === undefined ? "" : ` of ${counted(all, "animal")}`} shown`}
            hasMore={found.hasNextPage}
            isBusy={found.isFetchingNextPage}
            more={found.fetchNextPage}
          />
        </div>
      )}
    </>
  );
};

/** All animals or those of one status: how many there are, and which. */
export const Animals = () => {
  const { query } = useLocation();
  const { part, change } = useRoute().params;
  const mayChange = useSession().can("pets:write");
  const [added, setAdded] = useState<Animal[]>([]);
  const status = isStatus(query["status"]) ? query["status"] : undefined;
  const search = status ? `?status=${status}` : "";
  const isAdding = part === "new" && change === undefined;
  const changed = change === "change" ? idOf(part) : undefined;
  const back = `/console/animals${search}`;
  return (
    <Page
      title="Animals"
      actions={
        mayChange && (
          <a class="button" href={`/console/animals/new${search}`}>
            Add animal
          </a>
        )
      }
    >
      <Overview selected={status} />
      <List status={status} added={added} />
      {isAdding && mayChange && (
        <AddAnimal back={back} onAdded={(animal) => setAdded((before) => [...before, animal])} />
      )}
      {changed !== undefined && mayChange && (
        <ChangeAnimal
          key={changed}
          id={changed}
          back={back}
          onChanged={(animal) =>
            setAdded((before) => before.map((one) => (one.id === animal.id ? animal : one)))
          }
        />
      )}
    </Page>
  );
};
