import type { Exemption } from "../lib/idle-exemption.ts";

/** Runs `work` for a request without the idle timeout that would close its connection. */
export type WithoutIdleTimeout = <Result>(
  request: Request,
  work: () => Promise<Result>,
  exemption?: Exemption,
) => Promise<Result>;
