import type { Database } from "../db/open.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import type { Cluster } from "./cluster.ts";
import { EngineUnavailable, ReplicaOutdated } from "./log.ts";

const explained = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof ReplicaOutdated
    ? new OperatorError(
        `the copy in DATA_DIR cannot catch up with the cluster (${error.cause.message}): start the server of this node, which loads the cluster's snapshot, then try again`,
        { cause: error },
      )
    : error;

/**
 * Waits until the replica has the whole log, without a time limit: `fresh` alone stops at the limit of a request.
 * @param onStep called every few seconds with how many records are left
 * @throws EngineUnavailable if it does not get on; OperatorError if it never can
 */
export const catchUp = async (
  { fresh }: Pick<Database, "fresh">,
  { state }: Pick<Cluster, "state">,
  onStep: (left: number) => void = () => {},
): Promise<void> => {
  for (let before = state().position; ;)
    try {
      return await fresh();
    } catch (error) {
      const { position, head } = state();
      if (!(error instanceof EngineUnavailable) || position === before) throw explained(error);
      onStep(head - position);
      before = position;
    }
};
