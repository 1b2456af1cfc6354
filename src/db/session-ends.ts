import type { Act } from "../lib/actor.ts";
import { sessionIdOf } from "../lib/session-id.ts";
import type { Audit } from "./audit.ts";
import type { Statement } from "./commit.ts";

/** Returns the statements that record the ends of sessions. */
export const recordEnds = (
  record: Audit,
  act: Act,
  ended: readonly { hash: string; device: string | null }[],
): readonly Statement[] =>
  ended.flatMap(({ hash, device }) =>
    record(act, { action: "session.closed", id: sessionIdOf(hash), label: device }),
  );
