import { Elysia } from "elysia";
import { type GuardSettings, guard } from "../keys/guard.ts";
import { body } from "./body.ts";
import { type IdempotencySettings, idempotency } from "./idempotency.ts";
import { versioning } from "./stability.ts";

export interface SharedSettings extends GuardSettings, IdempotencySettings {
  /** Most bytes of a JSON body. */
  bodyLimit: number;
}

/** The macros that routes name: `scope` or `public`, `reads`, `idempotent`, `deprecated`, `stability`. */
export const shared = ({ bodyLimit, answers, clock, ...settings }: SharedSettings) =>
  new Elysia({ name: "shared" })
    .use(guard(settings))
    .use(body({ bodyLimit }))
    .use(idempotency({ answers, clock }))
    .use(versioning());

export type Shared = ReturnType<typeof shared>;
