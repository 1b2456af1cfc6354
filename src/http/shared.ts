import { Elysia } from "elysia";
import { type GuardSettings, guard } from "../keys/guard.ts";
import { body } from "./body.ts";
import { versioning } from "./versioning.ts";

export interface SharedSettings extends GuardSettings {
  /** Most bytes of a JSON body. */
  bodyLimit: number;
}

/** The macros that routes name: `scope` or `public`, `reads`, `deprecated`, `stability`. */
export const shared = ({ bodyLimit, ...settings }: SharedSettings) =>
  new Elysia({ name: "shared" }).use(guard(settings)).use(body({ bodyLimit })).use(versioning());

export type Shared = ReturnType<typeof shared>;
