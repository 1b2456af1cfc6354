/** Does some work for a request that may take longer than others may: its connection is not closed meanwhile. */
export type WithoutIdleTimeout = <Result>(request: Request, work: () => Promise<Result>) => Promise<Result>;

/** Where nothing closes connections. */
export const noop: WithoutIdleTimeout = (_request, work) => work();
