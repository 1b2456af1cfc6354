import { addressOf } from "../parts/address.ts";
import type { Stage } from "./model.ts";
import { STAGES } from "./words.ts";

/** The domains to show: those that match every field. */
export interface Filter {
  /** Part of the name. */
  q?: string;
  stage?: Stage;
}

const isStage = (text: string | undefined): text is Stage =>
  text !== undefined && Object.hasOwn(STAGES, text);

/** Reads the filter from an address. Malformed fields are left out. */
export const filterOf = ({ q = "", stage }: Record<string, string | undefined>): Filter => ({
  ...(q.trim() !== "" && { q: q.trim() }),
  ...(isStage(stage) && { stage }),
});

/** The address of the list, or of a dialog above it. */
export const allDomainsPath = (
  { q, stage }: { q?: string; stage?: string } = {},
  ...parts: string[]
): string =>
  addressOf(["/console/domains", ...parts].join("/"), { q: q || undefined, stage: stage || undefined });
