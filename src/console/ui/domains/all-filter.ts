import { addressOf } from "../parts/address.ts";
import { STAGES } from "./all-words.ts";
import type { Stage } from "./model.ts";

/** The domains to show: those that match every field. */
export interface Filter {
  /** Part of the name. */
  q?: string;
  stage?: Stage;
}

/** Reads the filter from an address. Malformed fields are left out. */
export const filterOf = ({ q = "", stage = "" }: Record<string, string | undefined>): Filter => ({
  ...(q.trim() !== "" && { q: q.trim() }),
  ...(Object.hasOwn(STAGES, stage) && { stage: stage as Stage }),
});

/** The address of the list, or of the dialog above it. */
export const allDomainsPath = (
  { q, stage }: { q?: string; stage?: string } = {},
  ...parts: string[]
): string =>
  addressOf(["/console/domains", ...parts].join("/"), { q: q || undefined, stage: stage || undefined });
