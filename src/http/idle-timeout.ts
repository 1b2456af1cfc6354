/** Runs `work` for a request without the idle timeout that would close its connection. */
export type WithoutIdleTimeout = <Result>(request: Request, work: () => Promise<Result>) => Promise<Result>;

/** For tests, where nothing closes connections. */
export const noop: WithoutIdleTimeout = (_request, work) => work();
