import type { components } from "../../../client/types/store.d.ts";
import type { Tone } from "../parts/tone.ts";

export type Status = components["schemas"]["PetStatus"];

export const STATUSES = ["available", "pending", "sold"] as const satisfies readonly Status[];

export const TONES: Record<Status, Tone> = { available: "good", pending: "waiting", sold: "quiet" };

export const isStatus = (text: string | undefined): text is Status =>
  (STATUSES as readonly (string | undefined)[]).includes(text);
