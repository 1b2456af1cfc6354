import { createOperations, type Operations } from "./operations.ts";
import { storeMethods } from "./store.ts";
import { createTransport, type TransportOptions } from "./transport.ts";
import type { paths as PlatformPaths } from "./types/platform.d.ts";
import type { paths as StorePaths } from "./types/store.d.ts";

export interface ClientOptions extends TransportOptions {
  /** The service's base URL, such as `https://animals.example.org`. A `/v1` at its end makes no difference. */
  baseUrl: string;
  /** Sent as a bearer token. */
  apiKey?: string;
}

/** Every operation of the two OpenAPI documents. */
interface EveryOperation {
  store: Operations<StorePaths>;
  platform: Operations<PlatformPaths>;
}

/** A client of the service. Nothing is sent before a method is called. */
export const createClient = ({ baseUrl, apiKey, ...options }: ClientOptions) => {
  const root = baseUrl.replace(/\/*(\/v1)?\/*$/, "");
  const transport = createTransport(options);
  const ofStore = { baseUrl: `${root}/v1`, apiKey, isIdempotent: true };
  const operations: EveryOperation = {
    store: createOperations(transport, ofStore),
    platform: createOperations(transport, { baseUrl: root, apiKey, isIdempotent: false }),
  };
  return { ...storeMethods(operations.store, transport, ofStore), ...operations };
};

export type Client = ReturnType<typeof createClient>;
