import { useQuery } from "@tanstack/preact-query";
import { dataOf, store } from "../api/client.ts";
import { Problem } from "../parts/feedback.tsx";
import type { Filter } from "./addresses.ts";
import { Chart } from "./chart.tsx";
import { ANIMALS } from "./queries.ts";
import { Tiles } from "./tiles.tsx";

/** The counts of all animals. Changes to animals invalidate them. */
export const useStatistics = () =>
  useQuery({ queryKey: [...ANIMALS, "statistics"], queryFn: () => dataOf(store.GET("/statistics")) });

const uncounted = ({ message }: Error) => new Error(`The animals could not be counted. ${message}`);

/** How many animals there are, and when they were added. The filter works while this loads, and if it fails. */
export const Overview = ({ filter }: { filter: Filter }) => {
  const { data, error, refetch } = useStatistics();
  return (
    <>
      <Tiles statistics={data} filter={filter} />
      {error && !data ? (
        <Problem error={uncounted(error)} onRetry={refetch} />
      ) : (
        <Chart days={data?.addedByDay} />
      )}
    </>
  );
};
