import { latencyHistogram } from "./histogram.ts";

/** Seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  /** Counts an answered request under its route's template. */
  observe(method: string, route: string, status: number, seconds: number): void;
  countDeprecated(route: string, keyId: number): void;
  /** Calls of a key to deprecated operations, since the start. */
  deprecatedCalls(keyId: number): number;
  /** Prometheus text format, and its media type. */
  expose(): Promise<{ text: string; contentType: string }>;
}

/** When certificates end: milliseconds UTC. */
type Expiries = () => readonly { hostname: string; notAfter: number }[];

/** A gauge whose value is read when the metrics are. */
export interface GaugeOptions {
  name: string;
  help: string;
  /** Undefined while there is no value. */
  read: () => number | undefined;
}

/** Calls to deprecated operations: by key, then by route. */
type Deprecated = Map<number, Map<string, number>>;

/** All but the histogram. */
const registered = async (
  version: string,
  expiries: Expiries,
  readings: readonly GaugeOptions[],
  calls: Deprecated,
) => {
  // Loaded when somebody first looks: 15 ms that a start need not wait for.
  const { Counter, Gauge, Registry } = await import("prom-client");
  const registry = new Registry();
  const registers = [registry];
  const deprecated = new Counter({
    name: "http_server_deprecated_requests_total",
    help: "Calls to deprecated operations, by the key that made them.",
    labelNames: ["http_route", "key_id"],
    registers,
  });
  const memory = new Gauge({ name: "process_resident_memory_bytes", help: "Resident memory.", registers });
  const cpu = new Counter({ name: "process_cpu_seconds_total", help: "CPU time used.", registers });
  const started = new Gauge({
    name: "process_start_time_seconds",
    help: "When the process started.",
    registers,
  });
  started.set(Math.round(performance.timeOrigin / 1000));
  const info = new Gauge({
    name: "adoption_store_info",
    help: "The version that runs.",
    labelNames: ["version"],
    registers,
  });
  info.set({ version }, 1);
  const expiry = new Gauge({
    name: "certificate_expiry_timestamp_seconds",
    help: "When the certificate of a host name ends, in seconds since 1970.",
    labelNames: ["host"],
    registers,
  });
  const gauges = readings.map(({ name, help, read }) => ({
    gauge: new Gauge({ name, help, registers }),
    read,
  }));
  const expose = async () => {
    for (const { gauge, read } of gauges) {
      const value = read();
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
    deprecated.reset();
    for (const [key_id, routes] of calls)
      for (const [http_route, count] of routes) deprecated.inc({ http_route, key_id }, count);
    expiry.reset();
    for (const { hostname, notAfter } of expiries()) expiry.set({ host: hostname }, notAfter / 1000);
    memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
    return registry.metrics();
  };
  return { expose, contentType: registry.contentType };
};

export const metrics = ({
  version,
  expiries = () => [],
  readings = [],
}: {
  version: string;
  expiries?: Expiries;
  readings?: readonly GaugeOptions[];
}): Metrics => {
  const requests = latencyHistogram(
    "http_server_request_duration_seconds",
    "Time from a request's arrival to its answer, by route template.",
    BUCKETS,
  );
  const calls: Deprecated = new Map();
  let others: ReturnType<typeof registered> | undefined;
  const loaded = () => {
    others ??= registered(version, expiries, readings, calls).catch((error: unknown) => {
      others = undefined;
      throw error;
    });
    return others;
  };
  return {
    observe: requests.observe,
    countDeprecated(route, keyId) {
      const routes = calls.get(keyId) ?? new Map<string, number>();
      calls.set(keyId, routes.set(route, (routes.get(route) ?? 0) + 1));
    },
    deprecatedCalls: (keyId) => [...(calls.get(keyId)?.values() ?? [])].reduce((sum, one) => sum + one, 0),
    async expose() {
      const { expose, contentType } = await loaded();
      return { text: `${await expose()}\n${requests.expose()}`, contentType };
    },
  };
};
