import { Elysia } from "elysia";
import { type AuthorizationOptions, authorization } from "./authorization.ts";
import { body } from "./body.ts";
import { lifespan } from "./lifecycle.ts";
import { type IdempotencyOptions, idempotency } from "./idempotency.ts";

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
    .use(lifespan());

export type Macros = ReturnType<typeof macros>;
