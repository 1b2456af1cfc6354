import { EngineUnavailable } from "../errors.ts";

/** A request was sent to the engine, which may have carried it out. */
export class EngineUnanswered extends EngineUnavailable {
  override name = "EngineUnanswered";
}

/** What to do after an attempt failed. */
export type Remedy = "retry" | "authenticate" | "reconnect" | "give up";

/** Why one attempt at one server of the engine failed. */
export class AttemptFailed extends Error {
  override name = "AttemptFailed";

  /** @param mayHaveRun the server may have carried it out, or may do so still */
  constructor(
    message: string,
    readonly mayHaveRun: boolean,
    readonly remedy: Remedy = "retry",
  ) {
    super(message);
  }
}

/** A refusal of the engine. */
export interface Refusal {
  match: RegExp;
  remedy: Remedy;
  /** The server may have carried it out nevertheless. */
  mayHaveRun?: boolean;
  advice?: string;
}

/** Bun's codes of certificates that it does not accept. */
export const BAD_CERTIFICATE = /CERT|ISSUER|SELF_SIGNED|ALTNAME|LEAF_SIGNATURE/;

/** The failure by the first refusal that matches. An unknown response proves nothing: the request may have been carried out. */
export const refused = (refusals: readonly Refusal[], code: string, reason: string): AttemptFailed => {
  const found = refusals.find(({ match }) => match.test(code));
  if (!found) return new AttemptFailed(reason, true);
  const message = found.advice ? `${reason}: ${found.advice}` : reason;
  return new AttemptFailed(message, found.mayHaveRun ?? false, found.remedy);
};

/** The first of these, or undefined when none came in time. */
export const firstWithin = async <Value>(
  promises: readonly Promise<Value>[],
  ms: number,
): Promise<Value | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, Math.max(1, ms), undefined);
  try {
    return await Promise.race([...promises, late]);
  } finally {
    clearTimeout(timer);
  }
};
