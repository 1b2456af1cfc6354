import type { components } from "../../../client/types/store.d.ts";
import type { Tone } from "../parts/tone.ts";

export type Status = components["schemas"]["PetStatus"];

export const STATUSES = ["available", "pending", "sold"] as const satisfies readonly Status[];

/** The names that people read. The API calls an adopted animal `sold`. */
export const STATUS_NAMES: Record<Status, string> = {
  available: "available",
  pending: "pending",
  sold: "adopted",
};

export const TONES: Record<Status, Tone> = { available: "good", pending: "waiting", sold: "quiet" };

export const isStatus = (text: string | undefined): text is Status =>
  (STATUSES as readonly (string | undefined)[]).includes(text);
