import type { Warning } from "../../../http/health.ts";
import { type Clock, formatTime } from "../../../lib/time.ts";
import type { ObjectStoreError } from "../../../protocols/s3/object-store-error.ts";
import type { Operation, RequestOptions } from "../../../protocols/s3/object-store.ts";

/** Requests to the object store so far. */
export interface RequestCount {
  labels: { operation: Operation; outcome: "ok" | "failed" };
  count: number;
}

interface Failure {
  reason: string;
  /** In milliseconds UTC. */
  since: number;
}

/** Counts requests to the object store, and remembers which operations currently fail. */
export const objectStoreStatus = (clock: Clock) => {
  const counts = new Map<string, RequestCount>();
  const failing = new Map<Operation, Failure>();

  const add = (operation: Operation, outcome: RequestCount["labels"]["outcome"]): void => {
    const key = `${operation} ${outcome}`;
    const counted = counts.get(key) ?? { labels: { operation, outcome }, count: 0 };
    counted.count++;
    counts.set(key, counted);
  };

  const onRequest: NonNullable<RequestOptions["onRequest"]> = (operation, error?: ObjectStoreError) => {
    add(operation, error ? "failed" : "ok");
    if (!error) failing.delete(operation);
    else if (!error.isFinal)
      failing.set(operation, {
        reason: error.message,
        since: failing.get(operation)?.since ?? clock.now(),
      });
  };

  return {
    onRequest,
    counts: () => [...counts.values()],
    isFailing: (operation: Operation) => failing.has(operation),
    /** The longest failure and its start; undefined while all is well. */
    failure: (): Failure | undefined =>
      [...failing.values()].toSorted((one, other) => one.since - other.since)[0],
  };
};

export type ObjectStoreStatus = ReturnType<typeof objectStoreStatus>;

/** The warning of `/readyz` about the object store. */
export const objectStoreWarnings = (status: Pick<ObjectStoreStatus, "failure"> | undefined): Warning[] => {
  const failure = status?.failure();
  if (!failure) return [];
  return [
    {
      code: "object_store_unavailable",
      count: 1,
      message: `Since ${formatTime(failure.since)}, ${failure.reason}. Deploys are refused; sites go on from the files on this machine. Run adoption-store doctor.`,
    },
  ];
};
