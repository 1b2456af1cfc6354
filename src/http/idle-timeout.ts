/** Does some work for a request that may take longer than others may: its connection is not closed meanwhile. */
export type Patiently = <Result>(request: Request, work: () => Promise<Result>) => Promise<Result>;

/** Where nothing closes connections. */
export const atLeisure: Patiently = (_request, work) => work();
