import { Fault } from "../lib/errors.ts";

/** A route of the app: `GET /v1/pets/:petId`. */
export interface Route {
  method: string;
  path: string;
  /** The media types of its body. */
  reads?: readonly string[];
  /** The query parameters that may be given several times. */
  repeatable?: readonly string[];
}

export const pathOf = (request: Request): string => new URL(request.url).pathname;

const segmentsOf = (path: string): string[] => path.replace(/\/$/, "").split("/");

const matches = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((segment, index) =>
    segment.startsWith(":") ? segments[index] !== "" : segment === segments[index],
  );

/** The routes of a path. A route without parameters wins: `/v1/pets/events` does not match `/v1/pets/:petId`. */
const routesAt = (routes: readonly Route[], path: string): Route[] => {
  const segments = segmentsOf(path);
  const matching = routes.filter((route) => matches(segmentsOf(route.path), segments));
  const own = matching.filter((route) => !route.path.includes(":"));
  return own.length > 0 ? own : matching;
};

/** The methods of a path, including HEAD and OPTIONS; none if the path does not exist. */
export const methodsAt = (routes: readonly Route[], path: string): string[] => {
  const found = new Set(routesAt(routes, path).map(({ method }) => method));
  if (found.size === 0) return [];
  if (found.has("GET")) found.add("HEAD");
  return [...found.add("OPTIONS")].toSorted();
};

/** The patch formats of a path (RFC 5789 section 3.1); none without a PATCH route. */
export const patchTypesAt = (routes: readonly Route[], path: string): readonly string[] => {
  const patching = routesAt(routes, path).find((route) => route.method === "PATCH");
  return patching?.reads ?? [];
};

/** The query parameters of a request that may be given several times. */
export const repeatableIn = (routes: readonly Route[], request: Request): readonly string[] =>
  routesAt(routes, pathOf(request)).find(({ method }) => method === request.method)?.repeatable ?? [];

/** Methods that would match a pattern although the path has its own routes: `PATCH /v1/pets/events` matches `/v1/pets/:petId`. */
export const shadowedMethods = (routes: readonly Route[]): Route[] => {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, own]) => ({
    path,
    segments: segmentsOf(path),
    methods: new Set(own.map(({ method }) => method)),
  }));
  const patterns = paths.filter(({ path }) => path.includes(":"));
  return paths
    .filter(({ path }) => !/[:*]/.test(path))
    .flatMap(({ path, segments, methods }) => {
      const matching = patterns.filter((pattern) => matches(pattern.segments, segments));
      const all = matching.reduce((union, pattern) => union.union(pattern.methods), new Set<string>());
      return [...all.difference(methods)].map((method) => ({ method, path }));
    });
};

/** The fault for a request that matches no route. */
export const routeFault = (routes: readonly Route[], request: Request): Fault => {
  const methods = methodsAt(routes, pathOf(request));
  // The method exists, but the router does not accept the spelling of the path, such as one with a fragment.
  if (methods.length === 0 || methods.includes(request.method))
    return new Fault("not_found", "No such path.");
  const allow = methods.join(", ");
  return new Fault("method_not_allowed", `This path supports ${allow} only.`, { allow });
};
