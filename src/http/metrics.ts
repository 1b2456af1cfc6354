import type { Metric, Registry } from "prom-client";

const describer =
  <Type extends "counter" | "gauge" | "histogram">(type: Type) =>
  <const Labels extends readonly string[]>(help: string, ...labels: Labels) => ({ type, help, labels });

const counter = describer("counter");
const gauge = describer("gauge");
const histogram = describer("histogram");

/** Every metric of `/metrics`. Times are seconds, and points in time are seconds since 1970-01-01 UTC. */
export const METRICS = {
  http_server_request_duration_seconds: histogram(
    "Time from a request's arrival to its response, by route template.",
    "http_request_method",
    "http_route",
    "http_response_status_code",
  ),
  http_server_deprecated_requests_total: counter(
    "Calls to deprecated operations, by route template and API key.",
    "http_route",
    "key_id",
  ),
  certificate_expiry_timestamp_seconds: gauge("When the certificate of a host name expires.", "host"),
  backup_last_success_timestamp_seconds: gauge(
    "When the newest backup of BACKUP_SCHEDULE was taken; absent before the first.",
  ),
  damaged_files: gauge("Files of deployed sites that are missing or damaged."),
  object_store_requests_total: counter(
    "Requests to the object store of BLOBS_URL, by operation and outcome: a failed one failed in all its tries.",
    "operation",
    "outcome",
  ),
  dns_server_responses_total: counter(
    "Responses of the name server, by transport and response code. The code none counts queries without a response.",
    "transport",
    "rcode",
  ),
  platform_faults: gauge("Faults that the operator must correct for custom domains, by part.", "part"),
  open_notices: gauge(
    "Host names with an open problem, by kind: domain_failing, renewal_failed, orders_failed, certificate_overdue.",
    "kind",
  ),
  cluster_engine_up: gauge("With DATABASE_URL: 1 if this node can use the engine of the cluster, else 0."),
  cluster_live_nodes: gauge("With DATABASE_URL: nodes of the cluster that run, as this node knows."),
  cluster_declared_nodes: gauge("With CLUSTER_NODES: number of nodes that it declares."),
  cluster_log_position: gauge(
    "With DATABASE_URL: position of the last record of the log that this node has applied.",
  ),
  cluster_log_lag: gauge(
    "With DATABASE_URL: records up to the last known end of the log that this node has not applied.",
  ),
  cluster_forwarded_writes_total: counter(
    "With DATABASE_URL: requests that the writer node has carried out for this one.",
  ),
  cluster_appends_total: counter(
    "With DATABASE_URL: records that this node tried to append to the log. Each holds the writes of one moment.",
  ),
  cluster_lost_appends_total: counter(
    "With DATABASE_URL: of these, those that another node's record came before, so that they were tried again.",
  ),
  cluster_append_seconds_total: counter("With DATABASE_URL: time that appends took, all together."),
  cluster_applied_records_total: counter(
    "With DATABASE_URL: records of other nodes that this node has applied.",
  ),
  adoption_store_info: gauge("Always 1; the label is the running version.", "version"),
  process_start_time_seconds: gauge("When the process started."),
  process_resident_memory_bytes: gauge("Resident memory of the server, all workers together."),
  process_cpu_seconds_total: counter("CPU time of the server, user and system, all workers together."),
};

export type MetricName = keyof typeof METRICS;

const NAME = "http_server_request_duration_seconds";
/** Upper bounds in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The requests of one route, method and status. */
interface Series {
  labels: Record<string, string>;
  /** Requests per bucket, not cumulative; the last one is +Inf. */
  counts: number[];
  sum: number;
}

const samplesOf = ({ labels, counts, sum }: Series) => {
  let total = 0;
  const buckets = [...BUCKETS, "+Inf"].map((bound, index) => {
    total += counts[index] ?? 0;
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
const requestDurations = () => {
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
      while (at < BUCKETS.length && seconds > BUCKETS[at]!) at++;
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
    /** Adds another process's observations. */
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

/** A gauge whose value is read for each exposition. */
export interface GaugeOptions {
  name: MetricName;
  /** Undefined while it has no value. A metric with a label has a value for each value of the label. */
  read: () => number | undefined | ReadonlyMap<string, number>;
}

/** A counter whose values are read for each exposition. */
export interface CounterOptions {
  name: MetricName;
  read: () => Iterable<{ labels: Record<string, string | number>; count: number }>;
}

/** The counts of a process. */
export interface RequestCounts {
  durations: readonly Series[];
  deprecated: DeprecatedCalls;
}

/** The other processes of the server. */
export interface OtherProcesses {
  /** Resolves when their counts have been added. */
  report(): Promise<void>;
  /** Their resident memory, in bytes. */
  memory(): number;
  /** Their CPU time, in seconds. */
  cpuSeconds(): number;
}

interface MetricsOptions {
  version: string;
  /** When certificates expire, in milliseconds UTC. */
  expiries?: () => readonly { hostname: string; notAfter: number }[];
  gauges?: readonly GaugeOptions[];
  counters?: readonly CounterOptions[];
  others?: OtherProcesses | undefined;
}

/** Calls to deprecated operations: by key, then by route. */
type DeprecatedCalls = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** Imported for the first exposition, because loading takes 15 ms of the start. */
const importPrometheus = async () => {
  const [counter, gauge, registry] = await Promise.all([
    import("prom-client/lib/counter.js"),
    import("prom-client/lib/gauge.js"),
    import("prom-client/lib/registry.js"),
  ]);
  return { Counter: counter.default, Gauge: gauge.default, Registry: registry.default };
};

export const metrics = ({
  version,
  expiries = () => [],
  gauges = [],
  counters = [],
  others,
}: MetricsOptions) => {
  const durations = requestDurations();
  const calls = new Map<number, Map<string, number>>();
  const deprecatedCounts = () =>
    [...calls].flatMap(([key_id, routes]) =>
      [...routes].map(([http_route, count]) => ({ labels: { http_route, key_id }, count })),
    );

  const load = async (): Promise<Registry> => {
    const { Counter, Gauge, Registry } = await importPrometheus();
    const registry = new Registry();
    registry.registerMetric(durations as unknown as Metric);

    const described = <Name extends MetricName>(name: Name) => ({
      name,
      help: METRICS[name].help,
      labelNames: METRICS[name].labels,
      registers: [registry],
    });
    const addCounter = ({ name, read }: CounterOptions) =>
      new Counter({
        ...described(name),
        collect() {
          this.reset();
          for (const { labels, count } of read()) this.inc(labels, count);
        },
      });
    const addGauge = ({ name, read }: GaugeOptions) =>
      new Gauge({
        ...described(name),
        collect() {
          const value = read();
          this.reset();
          if (value === undefined) this.remove();
          else if (typeof value === "number") this.set(value);
          else for (const [of, one] of value) this.set({ [METRICS[name].labels[0] ?? ""]: of }, one);
        },
      });

    addCounter({ name: "http_server_deprecated_requests_total", read: deprecatedCounts });
    new Gauge(described("process_start_time_seconds")).set(Math.round(performance.timeOrigin / 1000));
    new Gauge(described("adoption_store_info")).set({ version }, 1);
    addGauge({
      name: "process_resident_memory_bytes",
      read: () => process.memoryUsage.rss() + (others?.memory() ?? 0),
    });
    addCounter({
      name: "process_cpu_seconds_total",
      read() {
        const { user, system } = process.cpuUsage();
        return [{ labels: {}, count: (user + system) / 1e6 + (others?.cpuSeconds() ?? 0) }];
      },
    });
    addGauge({
      name: "certificate_expiry_timestamp_seconds",
      read: () => new Map(expiries().map(({ hostname, notAfter }) => [hostname, notAfter / 1000])),
    });
    for (const gauge of gauges) addGauge(gauge);
    for (const counter of counters) addCounter(counter);
    return registry;
  };
  let registry: Promise<Registry> | undefined;
  const loaded = () =>
    (registry ??= load().catch((error: unknown) => {
      registry = undefined;
      throw error;
    }));

  /** Counts calls of a key to a deprecated operation. */
  const countDeprecated = (route: string, keyId: number, count = 1): void => {
    const routes = calls.get(keyId) ?? new Map<string, number>();
    calls.set(keyId, routes.set(route, (routes.get(route) ?? 0) + count));
  };

  return {
    /** Counts a request under the template of its route. */
    observe: durations.observe,
    countDeprecated,
    /** True if there is nothing to drain. */
    isUnchanged: (): boolean => durations.isEmpty() && calls.size === 0,
    /** Removes and returns the counts, for the process that exposes them. */
    drain(): RequestCounts {
      const deprecated = new Map(calls);
      calls.clear();
      return { durations: durations.drain(), deprecated };
    },
    /** Adds another process's counts. */
    add({ durations: observed, deprecated }: RequestCounts): void {
      durations.add(observed);
      for (const [keyId, routes] of deprecated)
        for (const [route, count] of routes) countDeprecated(route, keyId, count);
    },
    /** Calls of a key to deprecated operations since the start. */
    deprecatedCalls: (keyId: number): number =>
      [...(calls.get(keyId)?.values() ?? [])].reduce((sum, count) => sum + count, 0),
    /** The Prometheus text format and its media type. */
    async expose(): Promise<{ text: string; contentType: string }> {
      const registry = await loaded();
      await others?.report();
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
};

export type Metrics = ReturnType<typeof metrics>;
