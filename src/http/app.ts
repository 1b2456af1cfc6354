import { Elysia } from "elysia";
import { bodyTypes } from "./body.ts";
import { notesOf } from "./endpoint.ts";
import { type LifecycleOptions, lifecycle } from "./lifecycle.ts";
import { type Route, shadowedMethods, routeFault } from "./route-table.ts";
import type { Macros } from "./macros.ts";
import { repeatableOf } from "./schemas.ts";

/** Every path below these requires a key, even if it does not exist. */
const GUARDED = ["/v1", "/platform"] as const;

const isGuarded = (path: string): boolean => GUARDED.some((prefix) => path.startsWith(`${prefix}/`));

/** Handles every other path and method, so that these requests are authenticated, counted and logged too. */
const fallbackRoutes = (macros: Macros, routes: readonly Route[]) => {
  const refuse = ({ request }: { request: Request }) => {
    throw routeFault(routes, request);
  };
  const withKey = { scope: "any", detail: { hide: true } } as const;
  const withoutKey = { public: true, detail: { hide: true } } as const;
  const app = new Elysia().use(macros);
  for (const { method, path } of shadowedMethods(routes))
    if (isGuarded(path)) app.route(method, path, refuse, withKey);
    else app.route(method, path, refuse, withoutKey);
  for (const prefix of GUARDED) for (const path of [prefix, `${prefix}/*`]) app.all(path, refuse, withKey);
  return app.all("/*", refuse, withoutKey);
};

/** Combines the routes of all rooms and wraps them in the lifecycle. */
export const createApp = (
  { macros, ...settings }: Omit<LifecycleOptions, "routes"> & { macros: Macros },
  rooms: readonly Elysia<any, any, any, any, any, any, any>[],
) => {
  let routes: readonly Route[] = [];
  // Without this Elysia mistakes a host of one or two letters for part of the path.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } });
  app.use(lifecycle({ ...settings, routes: () => routes }));
  for (const room of rooms) app.use(room);
  routes = app.routes.map(({ method, path, hooks }) => ({
    method,
    path,
    reads: bodyTypes(notesOf(hooks.detail)?.reads),
    repeatable: repeatableOf(hooks.query),
  }));
  return app.use(fallbackRoutes(macros, routes));
};
