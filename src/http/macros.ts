import { Elysia } from "elysia";
import { type GuardSettings, guard } from "../keys/guard.ts";
import { body } from "./body.ts";
import { type IdempotencyOptions, idempotency } from "./idempotency.ts";
import { stability } from "./stability.ts";

export interface MacroOptions extends GuardSettings, IdempotencyOptions {
  /** Most bytes of a JSON body. */
  bodyLimit: number;
}

/** The macros that routes name: `scope` or `public`, `reads`, `idempotent`, `deprecated`, `stability`. */
export const macros = ({ bodyLimit, answers, clock, ...settings }: MacroOptions) =>
  new Elysia({ name: "macros" })
    .use(guard(settings))
    .use(body({ bodyLimit }))
    .use(idempotency({ answers, clock }))
    .use(stability());

export type Macros = ReturnType<typeof macros>;
