import type { Metric, Registry } from "prom-client";
import { METRICS, type MetricName } from "./metrics-catalogue.ts";
import { type Series, requestDurations } from "./request-durations.ts";

/** A gauge whose value is read for each exposition. */
export interface GaugeOptions {
  name: MetricName;
  /** Undefined while there is no value. A metric with a label has a value for each value of the label. */
  read: () => number | undefined | ReadonlyMap<string, number>;
}

/** A counter whose values are read for each exposition. */
export interface CounterOptions {
  name: MetricName;
  read: () => Iterable<{ labels: Record<string, string>; count: number }>;
}

/** What a process has counted. */
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

type Prometheus = typeof import("./prometheus.ts");

/** What prom-client needs to know of a metric. */
const described = <Name extends MetricName>(name: Name, registry: Registry) => ({
  name,
  help: METRICS[name].help,
  labelNames: METRICS[name].labels,
  registers: [registry],
});

const addDeprecatedCalls = ({ Counter }: Prometheus, registry: Registry, calls: DeprecatedCalls) =>
  new Counter({
    ...described("http_server_deprecated_requests_total", registry),
    collect() {
      this.reset();
      for (const [key_id, routes] of calls)
        for (const [http_route, count] of routes) this.inc({ http_route, key_id }, count);
    },
  });

const addCounter = (
  { Counter }: Pick<Prometheus, "Counter">,
  registry: Registry,
  { name, read }: CounterOptions,
) =>
  new Counter({
    ...described(name, registry),
    collect() {
      this.reset();
      for (const { labels, count } of read()) this.inc(labels, count);
    },
  });

const addGauge = ({ Gauge }: Pick<Prometheus, "Gauge">, registry: Registry, { name, read }: GaugeOptions) =>
  new Gauge({
    ...described(name, registry),
    collect() {
      const value = read();
      this.reset();
      if (value === undefined) this.remove();
      else if (typeof value === "number") this.set(value);
      else for (const [of, one] of value) this.set({ [METRICS[name].labels[0] ?? ""]: of }, one);
    },
  });

const addProcessMetrics = (
  { Counter, Gauge }: Prometheus,
  registry: Registry,
  version: string,
  others: OtherProcesses | undefined,
) => {
  const start = new Gauge(described("process_start_time_seconds", registry));
  start.set(Math.round(performance.timeOrigin / 1000));
  const info = new Gauge(described("adoption_store_info", registry));
  info.set({ version }, 1);
  addGauge({ Gauge }, registry, {
    name: "process_resident_memory_bytes",
    read: () => process.memoryUsage.rss() + (others?.memory() ?? 0),
  });
  return new Counter({
    ...described("process_cpu_seconds_total", registry),
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6 + (others?.cpuSeconds() ?? 0));
    },
  });
};

const addExpiries = (
  { Gauge }: Prometheus,
  registry: Registry,
  expiries: Required<MetricsOptions>["expiries"],
) =>
  new Gauge({
    ...described("certificate_expiry_timestamp_seconds", registry),
    collect() {
      this.reset();
      for (const { hostname, notAfter } of expiries()) this.set({ host: hostname }, notAfter / 1000);
    },
  });

export const metrics = ({
  version,
  expiries = () => [],
  gauges = [],
  counters = [],
  others,
}: MetricsOptions) => {
  const durations = requestDurations();
  const calls = new Map<number, Map<string, number>>();

  const load = async (): Promise<Registry> => {
    // Imported for the first exposition, because loading takes 15 ms of the start.
    const prometheus = await import("./prometheus.ts");
    const registry = new prometheus.Registry();
    registry.registerMetric(durations as unknown as Metric);
    addDeprecatedCalls(prometheus, registry, calls);
    addProcessMetrics(prometheus, registry, version, others);
    addExpiries(prometheus, registry, expiries);
    for (const gauge of gauges) addGauge(prometheus, registry, gauge);
    for (const counter of counters) addCounter(prometheus, registry, counter);
    return registry;
  };
  let registry: Promise<Registry> | undefined;
  const loaded = () =>
    (registry ??= load().catch((error: unknown) => {
      registry = undefined;
      throw error;
    }));

  const countDeprecated = (route: string, keyId: number, count = 1): void => {
    const routes = calls.get(keyId) ?? new Map<string, number>();
    calls.set(keyId, routes.set(route, (routes.get(route) ?? 0) + count));
  };

  return {
    /** Counts a request under the template of its route. */
    observe: durations.observe,
    countDeprecated: (route: string, keyId: number): void => countDeprecated(route, keyId),
    /** True if there is nothing to drain. */
    isUnchanged: (): boolean => durations.isEmpty() && calls.size === 0,
    /** Removes and returns the counts, for the process that exposes them. */
    drain(): RequestCounts {
      const deprecated = new Map(calls);
      calls.clear();
      return { durations: durations.drain(), deprecated };
    },
    /** Adds what another process has counted. */
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
