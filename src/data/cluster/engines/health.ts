import { reasonOf } from "../../../lib/reason.ts";
import { firstWithin } from "./attempt.ts";

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
