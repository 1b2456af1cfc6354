import {
  CancelledError,
  type FetchQueryOptions,
  type QueryClient,
  type QueryFilters,
  type QueryKey,
} from "@tanstack/query-core";

// The types of preact-query include those of the DOM, which the tests do not have.

/** Restarts the reads in progress, and drops the responses to their earlier requests: they may be older than a write. */
export const restartReads = (queries: QueryClient, filters: QueryFilters = {}): void => {
  for (const query of queries.getQueryCache().findAll({ ...filters, fetchStatus: "fetching" })) {
    const { fetchMeta } = query.state;
    void query.cancel({ silent: true });
    query.fetch(undefined, { ...(fetchMeta && { meta: fetchMeta }) }).catch(() => {});
  }
};

/** Marks data as stale after a change elsewhere, and reads visible data again. */
export const reread = (queries: QueryClient, queryKey: QueryKey): Promise<void> => {
  // `invalidateQueries` restarts every read but the first.
  restartReads(queries, { queryKey, predicate: ({ state }) => state.data === undefined });
  return queries.invalidateQueries({ queryKey });
};

/** Reads data again for its result. As with any other read, a write restarts it. */
export const readNow = async <Data>(
  queries: QueryClient,
  options: FetchQueryOptions<Data>,
): Promise<Data> => {
  try {
    return await queries.fetchQuery({ ...options, staleTime: 0 });
  } catch (error) {
    // Restarted more than once.
    if (error instanceof CancelledError) return readNow(queries, options);
    throw error;
  }
};

let reads = 0;
/** The cache key of reads whose data no page keeps. */
export const ONCE = ["once"] as const;

/** Reads data that no page keeps. */
export const readOnce = <Data>(queries: QueryClient, queryFn: () => Promise<Data>): Promise<Data> =>
  readNow(queries, { queryKey: [...ONCE, reads++], queryFn, gcTime: 0 });

/** A read on a broken connection may never end. */
const MAX_READ_MS = 10_000;

/** Waits until no read with these keys is in progress. After `maxMs`, restarts those that are. */
export const readsDone = async (
  queries: QueryClient,
  queryKeys: readonly QueryKey[],
  maxMs = MAX_READ_MS,
): Promise<void> => {
  const isDone = () => queryKeys.every((queryKey) => queries.isFetching({ queryKey }) === 0);
  if (isDone()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = queries.getQueryCache().subscribe(() => isDone() && resolve());
  const timer = setTimeout(() => {
    for (const queryKey of queryKeys) restartReads(queries, { queryKey });
    resolve();
  }, maxMs);
  await promise;
  clearTimeout(timer);
  stop();
};
