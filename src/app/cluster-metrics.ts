import type { Cluster } from "../cluster/cluster.ts";
import type { CounterOptions, GaugeOptions } from "../http/metrics.ts";
import type { MetricName } from "../http/metrics-catalogue.ts";

export const clusterGauges = ({ state, liveNodes }: Pick<Cluster, "state" | "liveNodes">): GaugeOptions[] => [
  { name: "cluster_engine_up", read: () => (state().problem === undefined ? 1 : 0) },
  { name: "cluster_live_nodes", read: liveNodes },
  { name: "cluster_log_position", read: () => state().position },
  { name: "cluster_log_lag", read: () => Math.max(0, state().head - state().position) },
];

export const clusterCounters = ({ state }: Pick<Cluster, "state">): CounterOptions[] => {
  const counts: Partial<Record<MetricName, () => number>> = {
    cluster_appends_total: () => state().appends,
    cluster_lost_appends_total: () => state().lostAppends,
    cluster_append_seconds_total: () => state().appendSeconds,
    cluster_applied_records_total: () => state().applied,
  };
  return (Object.entries(counts) as [MetricName, () => number][]).map(([name, count]) => ({
    name,
    read: () => [{ labels: {}, count: count() }],
  }));
};
