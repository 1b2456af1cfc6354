import { Elysia } from "elysia";
import { READS, type BodyFormat, bodyTypes } from "./body.ts";
import { type LifecycleOptions, lifecycle } from "./lifecycle.ts";
import { type Route, shadowedMethods, routeFault } from "./route-table.ts";
import type { Macros } from "./macros.ts";

/** Below these every path asks for a key, those that do not exist too. */
const GUARDED = ["/v1", "/platform"] as const;

const isGuarded = (path: string): boolean => GUARDED.some((prefix) => path.startsWith(`${prefix}/`));

/** Answers what no room takes, so that these requests too are guarded, counted and logged. */
const elsewhere = (macros: Macros, routes: readonly Route[]) => {
  const refuse = ({ request }: { request: Request }) => {
    throw routeFault(routes, request);
  };
  const keyed = { scope: "any", detail: { hide: true } } as const;
  const open = { public: true, detail: { hide: true } } as const;
  const app = new Elysia().use(macros);
  for (const { method, path } of shadowedMethods(routes))
    if (isGuarded(path)) app.route(method, path, refuse, keyed);
    else app.route(method, path, refuse, open);
  for (const prefix of GUARDED) for (const path of [prefix, `${prefix}/*`]) app.all(path, refuse, keyed);
  return app.all("/*", refuse, open);
};

/** Puts the rooms into the frame. */
export const createApp = (
  { macros, ...settings }: Omit<LifecycleOptions, "routes"> & { macros: Macros },
  rooms: readonly Elysia<any, any, any, any, any, any, any>[],
) => {
  let routes: readonly Route[] = [];
  // Elysia takes hosts of one or two letters for part of the path unless it is told otherwise.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } });
  app.use(lifecycle({ ...settings, routes: () => routes }));
  for (const room of rooms) app.use(room);
  routes = app.routes.map(({ method, path, hooks }) => ({
    method,
    path,
    reads: bodyTypes((hooks.detail as { [READS]?: BodyFormat } | undefined)?.[READS]),
  }));
  return app.use(elsewhere(macros, routes));
};
