import { Fault } from "../lib/errors.ts";

/** How long a client waits for a check, in milliseconds: shorter than the timeouts of HTTP clients. */
export const PATIENCE_MS = 20_000;

/** Waits for work. @param next what the client can do @throws Fault not_ready if it takes longer; the work continues */
export const within = async <Value>(ms: number, work: Promise<Value>, next: string): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const tooSlow = new Fault("not_ready", `The name servers respond slowly. ${next}`, { "retry-after": "30" });
  const timer = setTimeout(() => reject(tooSlow), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
