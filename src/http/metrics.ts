import { Counter, Gauge, Registry } from "prom-client";
import { latencyHistogram } from "./histogram.ts";

/** Seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  /** Counts an answered request under its route's template. */
  observe(method: string, route: string, status: number, seconds: number): void;
  countDeprecated(route: string, keyId: number): void;
  /** Prometheus text format. */
  expose(): Promise<string>;
  contentType: string;
}

export const metrics = ({ version }: { version: string }): Metrics => {
  const registry = new Registry();
  const requests = latencyHistogram(
    "http_server_request_duration_seconds",
    "Time from a request's arrival to its answer, by route template.",
    BUCKETS,
  );
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
  let cpuCounted = 0;
  const sample = () => {
    memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    const total = (user + system) / 1e6;
    cpu.inc(Math.max(0, total - cpuCounted));
    cpuCounted = total;
  };
  return {
    observe: requests.observe,
    countDeprecated: (route, keyId) => deprecated.inc({ http_route: route, key_id: keyId }),
    async expose() {
      sample();
      return `${await registry.metrics()}\n${requests.expose()}`;
    },
    contentType: registry.contentType,
  };
};
