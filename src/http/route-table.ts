import { Fault } from "../lib/errors.ts";

/** A route as far as finding it goes: `/v1/pets/:petId`. */
export interface Route {
  method: string;
  path: string;
  /** The media types that it reads. */
  reads?: readonly string[];
}

export const pathOf = (request: Request): string => new URL(request.url).pathname;

const segmentsOf = (path: string): string[] => path.replace(/\/$/, "").split("/");

const matches = (template: string, given: readonly string[]): boolean => {
  const expected = segmentsOf(template);
  return (
    expected.length === given.length &&
    expected.every((segment, at) => (segment.startsWith(":") ? given[at] !== "" : segment === given[at]))
  );
};

/** The routes of a path. A route without parameters wins: `/v1/pets/events` is not an animal of `/v1/pets/:petId`. */
const routesAt = (routes: readonly Route[], path: string): Route[] => {
  const given = segmentsOf(path);
  const matching = routes.filter((route) => matches(route.path, given));
  const own = matching.filter((route) => !route.path.includes(":"));
  return own.length > 0 ? own : matching;
};

/** The methods that a path answers to, HEAD and OPTIONS included; empty for a path that does not exist. */
export const methodsAt = (routes: readonly Route[], path: string): string[] => {
  const found = new Set(routesAt(routes, path).map(({ method }) => method));
  if (found.size === 0) return [];
  if (found.has("GET")) found.add("HEAD");
  return [...found.add("OPTIONS")].toSorted();
};

/** The media types of patches that a path takes (RFC 5789 section 3.1); empty if it takes none. */
export const patchTypesAt = (routes: readonly Route[], path: string): readonly string[] => {
  const patching = routesAt(routes, path).find((route) => route.method === "PATCH");
  return patching?.reads ?? [];
};

/** Methods that the router would pass to a pattern although the path has its own routes, such as `PATCH /v1/pets/events`. */
export const shadowedMethods = (routes: readonly Route[]): Route[] =>
  routes
    .filter(({ path }) => !/[:*]/.test(path))
    .flatMap(({ path }) => {
      const own = new Set(routesAt(routes, path).map(({ method }) => method));
      const matching = routes.filter((route) => matches(route.path, segmentsOf(path)));
      return [...new Set(matching.map(({ method }) => method))]
        .filter((method) => !own.has(method))
        .map((method) => ({ method, path }));
    });

/** Why no route took a request. */
export const routeFault = (routes: readonly Route[], request: Request): Fault => {
  const methods = methodsAt(routes, pathOf(request));
  // A path with the right method was written in a way that the router does not read, such as with a fragment.
  if (methods.length === 0 || methods.includes(request.method))
    return new Fault("not_found", "There is nothing at this path.");
  const allow = methods.join(", ");
  return new Fault("method_not_allowed", `This path answers to ${allow} only.`, { allow });
};
