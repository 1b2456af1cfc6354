import { type InfiniteData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { type PageOf, Refusal, dataOf, store } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useDone } from "../parts/done.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { changeOf } from "./patch.ts";
import { AnimalForm } from "./form.tsx";
import { changedWords, type Animal, type NewAnimal } from "./statistics.ts";

/** The dialog that changes an animal; only what was changed is sent, so that what others change meanwhile stays. */
export const ChangeAnimal = ({
  id,
  back,
  onChanged,
}: {
  id: number;
  back: string;
  onChanged: (animal: Animal) => void;
}) => {
  const queries = useQueryClient();
  const done = useDone();
  const path = { petId: id };
  const found = useQuery({
    queryKey: ["animals", "one", id],
    // As the list shows it; else by its id.
    initialData: () =>
      queries
        .getQueriesData<InfiniteData<PageOf<Animal>>>({ queryKey: ["animals", "list"] })
        .flatMap(([, list]) => list?.pages ?? [])
        .flatMap(({ items }) => items)
        .find((one) => one.id === id),
    queryFn: async () => {
      const [animal] = await dataOf(store.GET("/pets", { params: { query: { ids: String(id) } } }));
      if (!animal) throw new Refusal(404, "not_found", "There is no animal with this id.");
      return animal;
    },
    // The form begins with what there is now, and does not change under whoever fills it in.
    gcTime: 0,
    staleTime: Infinity,
  });
  const changing = useMutation({
    mutationFn: ({ before, after }: { before: Animal; after: NewAnimal }) =>
      dataOf(store.PATCH("/pets/{petId}", { params: { path }, body: changeOf(before, after) })),
    onSuccess(animal) {
      onChanged(animal);
      void queries.invalidateQueries({ queryKey: ["animals"] });
    },
  });
  const before = found.data;
  return (
    <Dialog title={before ? `Change “${before.name}”` : "Change animal"} back={back}>
      {found.error && <Problem error={found.error} again={found.refetch} />}
      {found.isPending && <Loading what="Loading the animal" />}
      {before && (
        <AnimalForm
          given={before}
          submitWord="Save"
          back={back}
          error={changing.error}
          isBusy={changing.isPending}
          submit={(after) =>
            changing.mutate({ before, after }, { onSuccess: (changed) => done(back, changedWords(changed)) })
          }
        />
      )}
    </Dialog>
  );
};
