import type { TObject } from "@sinclair/typebox";
import {
  type AnyElysia,
  Elysia,
  type ElysiaCustomStatusResponse,
  type Static,
  type TSchema,
  t,
} from "elysia";
import type { FaultCode } from "../lib/errors.ts";
import type { Scope } from "./scopes.ts";
import type { Caller } from "./authorization.ts";
import type { BodyFormat } from "./body.ts";
import type { RequestHeaders } from "./etag.ts";
import type { Once } from "./idempotency.ts";
import type { Macros } from "./macros.ts";
import { NoContent, NoQuery, PageQuery, Parse, type ParsedSchema } from "./schemas.ts";

type Fields = Record<string, TSchema>;

/** The request of an operation: the part of Elysia's context that handlers use. */
export interface Call<
  Params extends Fields = Fields,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
> {
  params: { [Name in keyof Params]: Static<Params[Name]> };
  query: Static<Query>;
  body: Static<Body>;
  headers: RequestHeaders;
  request: Request;
  set: { status?: number | string; headers: Record<string, string | number> };
  caller: Caller;
  /** Only of an idempotent operation. */
  once: Once;
}

/** Describes a response in addition to its schema. */
export interface ResponseNote {
  description: string;
  /** Names of headers in `pages/openapi/headers.ts`. */
  headers?: readonly string[];
  example?: unknown;
  /** Media types in addition to JSON. */
  alsoAs?: readonly string[];
  /** The media types of a response that is a file. */
  binaryAs?: readonly string[];
  /** The media type of a response that is text instead of JSON. */
  textAs?: string;
  links?: Record<string, object>;
}

/** The parts of an operation that OpenAPI has no field for. */
export interface Notes {
  responses: Record<number, ResponseNote>;
  /** The format of the body; undefined without a body, and for a file. */
  reads?: BodyFormat | undefined;
  /** True if a request can be retried with an `Idempotency-Key`. */
  idempotent?: boolean | undefined;
  /** An example of the request body. */
  bodyExample?: unknown;
  /** The media types of a request body that is a file. */
  uploads?: readonly string[] | undefined;
  /** The conditional headers that it accepts (RFC 9110 section 13), by their names in `pages/openapi/headers.ts`. */
  conditions?: readonly string[] | undefined;
  /** Error codes in addition to those that follow from the operation's key, parameters and body. */
  faults?: readonly FaultCode[] | undefined;
}

/** The field of a route's `detail` that holds its notes. OpenAPI documents omit it. */
export const NOTES = "x-notes";

/** The notes of a route; undefined for a route that is no endpoint. */
export const notesOf = (detail: object | undefined): Notes | undefined =>
  detail && NOTES in detail ? (detail[NOTES] as Notes) : undefined;

type Access = Scope | "any" | "public";

/** The route of an operation: `GET /v1/pets/:petId`. */
type Route = `${"DELETE" | "GET" | "PATCH" | "POST" | "PUT"} /${string}`;

interface Declaration<
  Params extends Fields,
  Query extends TObject,
  Body extends TSchema,
  Result extends TSchema,
> extends Omit<Notes, "responses"> {
  /** Its `operationId`. */
  id: string;
  summary: string;
  description: string;
  /** Default: the room's. */
  tag?: string;
  /** The scope that a key needs. Default: the room's. */
  scope?: Access;
  /** Default: beta. */
  stability?: "beta" | "stable";
  deprecated?: { successor: string };
  /** Ids are parsed: a text that is no id is 0, which no record has. */
  params?: Params;
  query?: Query;
  headers?: TObject;
  body?: Body;
  /** The schema, the description and an example of the response; only a description of a 204. */
  returns: readonly [Result, description: string, example?: unknown] | string;
  /** The rest of the response's description. */
  response?: Omit<ResponseNote, "description" | "example">;
  /** A second response with the same schema, by status. */
  alsoReturns?: Record<number, ResponseNote>;
}

type Awaitable<Value> = Value | Promise<Value>;

type Outcome<Result extends TSchema> =
  | Response
  | ElysiaCustomStatusResponse<200, Static<Result>>
  | ElysiaCustomStatusResponse<201, Static<Result>>
  | (Result extends typeof NoContent ? void : Static<Result>);

/** An operation that returns one thing, or nothing. */
interface Endpoint<
  Params extends Fields,
  Query extends TObject,
  Body extends TSchema,
  Result extends TSchema,
> extends Declaration<Params, Query, Body, Result> {
  /** Default: 200, or 201 with a `location`. */
  status?: 200 | 201;
  /** The `Location` of the created thing. */
  location?: (created: Static<Result>, call: Call<Params, Query, Body>) => string;
  run(call: Call<Params, Query, Body>): Awaitable<Outcome<Result>>;
}

/** An operation that returns a page of a list. Its response names the next page. */
interface ListEndpoint<
  Params extends Fields,
  Query extends TObject,
  Result extends TSchema,
> extends Declaration<Params, Query, TSchema, Result> {
  run(call: Call<Params, Query>): Promise<{ items: Static<Result>; next: string | undefined }>;
}

/** Parses the values whose schemas have a parser. */
const parseHook = (params: Fields, query: TObject) => {
  const parsersIn = (fields: Fields) =>
    Object.entries(fields).flatMap(([name, schema]) => {
      const { [Parse]: parse } = schema as ParsedSchema;
      return parse ? [[name, parse] as const] : [];
    });
  const ofParams = parsersIn(params);
  const ofQuery = parsersIn(query.properties);
  if (ofParams.length + ofQuery.length === 0) return undefined;
  return function parseParameters({ params, query }: Record<"params" | "query", Record<string, unknown>>) {
    for (const [name, parse] of ofParams) params[name] = parse(params[name]);
    for (const [name, parse] of ofQuery) if (query[name] !== undefined) query[name] = parse(query[name]);
  };
};

/** Adds operations to a room. */
export type Endpoints = ReturnType<typeof endpoints>;

interface Room {
  macros: Macros;
  tag: string;
  scope: Access;
}

/**
 * The headers for the next page: its address (RFC 8288) and its cursor. None on the last page. The address has the parameters
 * of this page in the order of their schema, so that the same list has the same address. It omits defaults other than `limit`.
 * @param url of this page
 */
export const nextPage = (
  url: string,
  { properties }: TObject,
  cursor: string | undefined,
): Record<string, string> => {
  if (cursor === undefined) return {};
  const { pathname, searchParams: given } = new URL(url);
  const next = new URLSearchParams();
  for (const [name, { default: byDefault }] of Object.entries(properties)) {
    const value = given.get(name) ?? String(byDefault);
    if (name === "limit" || (given.has(name) && value !== byDefault)) next.set(name, value);
  }
  next.delete("cursor");
  next.set("cursor", cursor);
  // A request with a slash at the end has the same response, which is cached.
  return { link: `<${pathname.replace(/\/$/, "")}?${next}>; rel="next"`, "next-cursor": cursor };
};

/**
 * The operations of a room, each declared once. The route, the OpenAPI document, the reference and the client's types follow
 * from the declaration.
 */
export const endpoints = ({ macros, ...room }: Room) => {
  const app: AnyElysia = new Elysia({ normalize: false }).use(macros);
  // Elysia would infer the types of a handler from its options. Here, both follow from the declaration.
  const addRoute = app.route.bind(app) as (
    method: string,
    path: string,
    run: object,
    options: object,
  ) => unknown;

  const register = <
    Params extends Fields,
    Query extends TObject,
    Body extends TSchema,
    Result extends TSchema,
  >(
    route: Route,
    code: number,
    handler: (call: Call<Params, Query, Body>) => unknown,
    declaration: Declaration<Params, Query, Body, Result>,
    responseHeaders: readonly string[] | undefined,
  ): void => {
    const {
      id,
      summary,
      description,
      tag = room.tag,
      scope = room.scope,
      stability = "beta",
      deprecated,
      params,
      query = NoQuery,
      headers,
      body,
      returns,
      response,
      alsoReturns,
      ...notes
    } = declaration;
    const [schema, words, example] = typeof returns === "string" ? [NoContent, returns] : returns;
    const note = {
      ...(responseHeaders && { headers: responseHeaders }),
      ...response,
      description: words,
      example,
    };
    const responses = { [code]: note, ...alsoReturns };
    const reads = notes.reads ?? (body && "json");
    const [method = "", path = ""] = route.split(" ");
    // Macros apply in this order: a request without a valid key gets the headers of its operation, and its body is not read.
    addRoute(method, path, handler, {
      ...(deprecated && { deprecated }),
      ...(stability === "beta" && { stability }),
      ...(scope === "public" ? { public: true } : { scope }),
      ...(reads && { reads }),
      ...(notes.idempotent && { idempotent: true }),
      query,
      ...(headers && { headers }),
      ...(params && { params: t.Object(params) }),
      ...(body && { body }),
      response: Object.fromEntries(Object.keys(responses).map((status) => [status, schema])),
      beforeHandle: parseHook(params ?? {}, query) ?? [],
      detail: {
        operationId: id,
        summary,
        description,
        tags: [tag],
        [NOTES]: { ...notes, reads, responses },
      },
    });
  };

  return {
    app,
    /** Adds an operation. Elysia reads the text of `run`: write an arrow function that takes its parameter apart. */
    add<
      Params extends Fields = Fields,
      Query extends TObject = typeof NoQuery,
      Body extends TSchema = TSchema,
      Result extends TSchema = typeof NoContent,
    >(route: Route, { status, location, run, ...declaration }: Endpoint<Params, Query, Body, Result>): void {
      const code = status ?? (typeof declaration.returns === "string" ? 204 : location ? 201 : 200);
      const handler =
        location &&
        (async (call: Call<Params, Query, Body>) => {
          const created = (await run(call)) as Static<Result>;
          call.set.status = code;
          call.set.headers["location"] = location(created, call);
          return created;
        });
      register(route, code, handler ?? run, declaration, location && ["Location"]);
    },
    /** Adds an operation that lists things in pages. */
    list<
      Params extends Fields = Fields,
      Query extends TObject = typeof PageQuery,
      Result extends TSchema = TSchema,
    >(route: Route, { run, query, ...declaration }: ListEndpoint<Params, Query, Result>): void {
      const parameters = query ?? (PageQuery as TObject as Query);
      // Elysia reads this list of parameters, and prepares nothing else: a context passed on as a whole costs 5 microseconds.
      const handler = async ({
        set,
        request,
        query,
        params,
        headers,
        body,
        caller,
        once,
      }: Call<Params, Query>) => {
        const { items, next } = await run({ set, request, query, params, headers, body, caller, once });
        Object.assign(set.headers, nextPage(request.url, parameters, next));
        return items;
      };
      register(route, 200, handler, { ...declaration, query: parameters }, ["Link", "Next-Cursor"]);
    },
  };
};
