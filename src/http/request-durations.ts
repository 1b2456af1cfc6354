import { METRICS } from "./metrics-catalogue.ts";

const NAME = "http_server_request_duration_seconds";
/** Upper bounds in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The requests of one route, method and status. */
export interface Series {
  labels: Record<string, string>;
  /** Requests per bucket, not cumulative; the last one is +Inf. */
  counts: number[];
  sum: number;
}

const samplesOf = ({ labels, counts, sum }: Series) => {
  let total = 0;
  const buckets = [...BUCKETS, "+Inf"].map((bound, at) => {
    total += counts[at] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { ...labels, le: String(bound) }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: total },
  ];
};

/**
 * The histogram of request durations. prom-client's own joins the labels into a string for each request: 1.3 us of the 13 us of
 * CPU that a page of animals takes. It would also be loaded with the first request, which takes 6 MB. This one takes 0.05 us.
 */
export const requestDurations = () => {
  /** By route, method and status. */
  const series = new Map<string, Map<string, Series[]>>();

  const add = (method: string, route: string, status: number): Series => {
    const labels = {
      http_request_method: method,
      http_route: route,
      http_response_status_code: String(status),
    };
    const entry = { labels, counts: Array<number>(BUCKETS.length + 1).fill(0), sum: 0 };
    const methods = series.get(route) ?? new Map<string, Series[]>();
    const statuses = methods.get(method) ?? [];
    statuses[status] = entry;
    series.set(route, methods.set(method, statuses));
    return entry;
  };

  const entryOf = (method: string, route: string, status: number): Series =>
    series.get(route)?.get(method)?.[status] ?? add(method, route, status);

  // `flat` skips the statuses that have not occurred.
  const all = (): Series[] => [...series.values()].flatMap((methods) => [...methods.values()].flat());

  return {
    name: NAME,
    observe(method: string, route: string, status: number, seconds: number): void {
      const entry = entryOf(method, route, status);
      let at = 0;
      while (at < BUCKETS.length && seconds > (BUCKETS[at] as number)) at++;
      entry.counts[at]!++;
      entry.sum += seconds;
    },
    isEmpty: (): boolean => series.size === 0,
    /** Removes and returns everything that was observed. */
    drain(): Series[] {
      const drained = all();
      series.clear();
      return drained;
    },
    /** Adds what another process observed. */
    add(others: readonly Series[]): void {
      for (const { labels, counts, sum } of others) {
        const { http_request_method: method = "", http_route: route = "" } = labels;
        const entry = entryOf(method, route, Number(labels["http_response_status_code"]));
        for (const [at, count] of counts.entries()) entry.counts[at]! += count;
        entry.sum += sum;
      }
    },
    /** The metric as prom-client's registry reads it. */
    get: () => ({
      name: NAME,
      help: METRICS[NAME].help,
      type: "histogram",
      aggregator: "sum",
      values: all().flatMap(samplesOf),
    }),
  };
};
