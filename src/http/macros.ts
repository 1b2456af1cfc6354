import { Elysia } from "elysia";
import { BETA } from "./headers.ts";
import { type AuthorizationOptions, authorization } from "./authorization.ts";
import { body } from "./body.ts";
import { type IdempotencyOptions, idempotency } from "./idempotency.ts";

/** When `getPet` became deprecated, 5 December 2025, in Unix seconds. */
const DEPRECATED_SINCE = 1_764_892_800;
const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

interface MacroOptions extends AuthorizationOptions, IdempotencyOptions {
  /** The largest JSON body, in bytes. */
  bodyLimit: number;
}

/** The macros that routes use: `scope` or `public`, `reads`, `idempotent`, `deprecated`, `stability`. */
export const macros = ({ bodyLimit, responses, clock, ...settings }: MacroOptions) =>
  new Elysia({ name: "macros" })
    .use(authorization(settings))
    .use(body({ bodyLimit }))
    .use(idempotency({ responses, clock }))
    .macro("deprecated", ({ successor }: { successor: string }) => ({
      detail: { deprecated: true },
      transform({ set }) {
        set.headers["deprecation"] = `@${DEPRECATED_SINCE}`; // RFC 9745
        set.headers["sunset"] = SUNSET; // RFC 8594
        set.headers["link"] = `<${successor}>; rel="successor-version"`;
      },
    }))
    .macro("stability", (_level: "beta") => ({
      detail: { "x-stability": "beta" } as object,
      transform({ set }) {
        Object.assign(set.headers, BETA);
      },
    }));

export type Macros = ReturnType<typeof macros>;
