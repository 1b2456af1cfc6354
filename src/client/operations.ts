import { textOf, writeExactly } from "./exact.ts";
import { newIdempotencyKey } from "./retry.ts";
import type { Outgoing, Reply, SendOptions, Transport } from "./transport.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths that have an operation with this method. */
type PathWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<M, object> ? P : never;
}[keyof Paths] &
  string;

type Operation<Paths, P extends keyof Paths, M extends Method> =
  Paths[P] extends Record<M, infer Op> ? Op : never;

/** Optional if none of its fields is required. */
type ParamsOf<Op> = Op extends { parameters: infer Params }
  ? object extends Params
    ? { params?: Params }
    : { params: Params }
  : object;

type BodyOf<Op> = Op extends { requestBody: { content: infer Content } }
  ? { body: Content[keyof Content] }
  : Op extends { requestBody?: { content: infer Content } }
    ? { body?: Content[keyof Content] }
    : object;

type ContentOf<Response> = Response extends { content: infer Content } ? Content[keyof Content] : undefined;

type DataOf<Op> = Op extends { responses: infer Responses }
  ? ContentOf<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
  : never;

export interface CallOptions extends SendOptions {
  headers?: Readonly<Record<string, string>>;
}

type Init<Op> = ParamsOf<Op> & BodyOf<Op> & CallOptions;
type Arguments<Options> = object extends Options ? [init?: Options] : [init: Options];

/** Calls an operation, given its path in the OpenAPI document. @throws ApiError, or the reason of the signal */
export type Call<Paths, M extends Method> = <P extends PathWith<Paths, M>>(
  path: P,
  ...init: Arguments<Init<Operation<Paths, P, M>>>
) => Promise<Reply<DataOf<Operation<Paths, P, M>>>>;

/** A typed call for each method. `Paths` is generated from an OpenAPI document. */
export interface Operations<Paths> {
  GET: Call<Paths, "get">;
  POST: Call<Paths, "post">;
  PUT: Call<Paths, "put">;
  PATCH: Call<Paths, "patch">;
  DELETE: Call<Paths, "delete">;
}

type Values = Readonly<Record<string, unknown>>;

/** The parameters of any operation, as they are sent. */
interface AnyInit extends CallOptions {
  params?: { path?: Values; query?: Values; header?: Values };
  body?: unknown;
}

export interface OperationsOptions {
  /** The prefix of the document's paths. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** True if every POST accepts an Idempotency-Key: then a call without one gets a new one. */
  isIdempotent: boolean;
}

/** A list is a parameter that is given several times. */
const entriesOf = (values: Values = {}): [string, string][] =>
  Object.entries(values).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== undefined && one !== null)
      .map((one): [string, string] => [name, textOf(one)]),
  );

const urlOf = (
  baseUrl: string,
  path: string,
  { path: parts = {}, query }: AnyInit["params"] = {},
): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(parts[name])));
  const search = new URLSearchParams(entriesOf(query)).toString();
  return `${baseUrl}${filled}${search && `?${search}`}`;
};

const headersOf = (method: string, init: AnyInit, { apiKey, isIdempotent }: OperationsOptions): Headers => {
  const headers = new Headers();
  if (apiKey !== undefined) headers.set("authorization", `Bearer ${apiKey}`);
  if (init.body !== undefined && !(init.body instanceof Blob))
    headers.set("content-type", "application/json");
  const given = [...entriesOf(init.params?.header), ...entriesOf(init.headers)];
  for (const [name, value] of given) headers.set(name, value);
  if (isIdempotent && method === "POST" && !headers.has("idempotency-key"))
    headers.set("idempotency-key", newIdempotencyKey());
  return headers;
};

/** The request of an operation. @throws RangeError if a number may have been rounded */
export const outgoing = (
  method: string,
  path: string,
  init: AnyInit,
  options: OperationsOptions,
): Outgoing => ({
  method,
  url: urlOf(options.baseUrl, path, init.params),
  headers: headersOf(method, init, options),
  ...(init.body !== undefined && { body: init.body instanceof Blob ? init.body : writeExactly(init.body) }),
});

/** Calls the operations of an OpenAPI document. */
export const createOperations = <Paths>(
  transport: Transport,
  options: OperationsOptions,
): Operations<Paths> => {
  const call =
    (method: string) =>
    (path: string, init: AnyInit = {}) =>
      transport.request(outgoing(method, path, init, options), init);
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as unknown as Operations<Paths>;
};
