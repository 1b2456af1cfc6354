interface MetricDescription {
  type: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
}

/** Every metric of `/metrics`. Times are seconds, and points in time are seconds since 1970-01-01 UTC. */
export const METRICS = {
  http_server_request_duration_seconds: {
    type: "histogram",
    help: "Time from a request's arrival to its response, by route template.",
    labels: ["http_request_method", "http_route", "http_response_status_code"],
  },
  http_server_deprecated_requests_total: {
    type: "counter",
    help: "Calls to deprecated operations, by route template and API key.",
    labels: ["http_route", "key_id"],
  },
  certificate_expiry_timestamp_seconds: {
    type: "gauge",
    help: "When the certificate of a host name expires.",
    labels: ["host"],
  },
  backup_last_success_timestamp_seconds: {
    type: "gauge",
    help: "When the newest backup of BACKUP_SCHEDULE was taken; absent while there is none.",
    labels: [],
  },
  damaged_files: {
    type: "gauge",
    help: "Files of deployed sites that are missing or damaged.",
    labels: [],
  },
  object_store_requests_total: {
    type: "counter",
    help: "Requests to the object store of BLOBS_URL, by operation and outcome: a failed one failed in all its tries.",
    labels: ["operation", "outcome"],
  },
  dns_server_responses_total: {
    type: "counter",
    help: "Responses of the name server, by transport and response code. The code none counts queries without a response.",
    labels: ["transport", "rcode"],
  },
  platform_faults: {
    type: "gauge",
    help: "Faults that the operator must correct for custom domains, by part.",
    labels: ["part"],
  },
  open_notices: {
    type: "gauge",
    help: "Host names with an open problem, by kind: domain_failing, renewal_failed, orders_failed, certificate_overdue.",
    labels: ["kind"],
  },
  cluster_engine_up: {
    type: "gauge",
    help: "With DATABASE_URL: 1 if this node can use the engine of the cluster, else 0.",
    labels: [],
  },
  cluster_live_nodes: {
    type: "gauge",
    help: "With DATABASE_URL: nodes of the cluster that run, as this node knows.",
    labels: [],
  },
  cluster_log_position: {
    type: "gauge",
    help: "With DATABASE_URL: position of the last record of the log that this node has applied.",
    labels: [],
  },
  cluster_log_lag: {
    type: "gauge",
    help: "With DATABASE_URL: records up to the last known end of the log that this node has not applied.",
    labels: [],
  },
  cluster_appends_total: {
    type: "counter",
    help: "With DATABASE_URL: records that this node tried to append to the log. Each holds the writes of one moment.",
    labels: [],
  },
  cluster_lost_appends_total: {
    type: "counter",
    help: "With DATABASE_URL: of these, those that another node's record came before, so that they were tried again.",
    labels: [],
  },
  cluster_append_seconds_total: {
    type: "counter",
    help: "With DATABASE_URL: time that appends took, all together.",
    labels: [],
  },
  cluster_applied_records_total: {
    type: "counter",
    help: "With DATABASE_URL: records of other nodes that this node has applied.",
    labels: [],
  },
  adoption_store_info: {
    type: "gauge",
    help: "Always 1; the label is the running version.",
    labels: ["version"],
  },
  process_start_time_seconds: {
    type: "gauge",
    help: "When the process started.",
    labels: [],
  },
  process_resident_memory_bytes: {
    type: "gauge",
    help: "Resident memory of the server, all workers together.",
    labels: [],
  },
  process_cpu_seconds_total: {
    type: "counter",
    help: "CPU time of the server, user and system, all workers together.",
    labels: [],
  },
} as const satisfies Record<string, MetricDescription>;

export type MetricName = keyof typeof METRICS;
