/** Handles requests, as Bun's `fetch` option does. */
export type Handler = (request: Request) => Response | Promise<Response>;
