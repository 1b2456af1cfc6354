import { EngineUnavailable } from "../log.ts";
import { reasonOf } from "../../../lib/reason.ts";

/** A request was sent to the engine, which may have carried it out. */
export class EngineUnanswered extends EngineUnavailable {
  override name = "EngineUnanswered";
}

type Remedy = "retry" | "authenticate" | "reconnect" | "give up";

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

const LIMIT_MS = 2000;

/** Asks all members of an engine for their state, for a moment. @returns the state of each, or why it cannot be used */
export const askMembers = <Host, State extends object>(
  hosts: readonly Host[],
  ask: (host: Host) => Promise<State>,
) =>
  Promise.all(
    hosts.map(async (host) => {
      const state = await firstWithin([ask(host).catch(reasonOf)], LIMIT_MS);
      return typeof state === "object" ? { host, state } : { host, problem: state ?? "no response in time" };
    }),
  );
