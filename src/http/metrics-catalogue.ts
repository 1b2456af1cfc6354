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
    "When the newest backup of BACKUP_SCHEDULE was taken; absent while there is none.",
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
  cluster_log_position: gauge(
    "With DATABASE_URL: position of the last record of the log that this node has applied.",
  ),
  cluster_log_lag: gauge(
    "With DATABASE_URL: records up to the last known end of the log that this node has not applied.",
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
