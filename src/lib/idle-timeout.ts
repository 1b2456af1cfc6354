/** An exemption from the idle timeout of a connection. */
export interface Exemption {
  /** True for a response with a separate limit, which may last for days: it does not count as a response in progress. */
  hasSeparateLimit?: boolean;
}

/** Runs `work` for a request without the idle timeout that would close its connection. */
export type WithoutIdleTimeout = <Result>(
  request: Request,
  work: () => Promise<Result>,
  exemption?: Exemption,
) => Promise<Result>;
