import { useState } from "preact/hooks";
import { newIdempotencyKey } from "./idempotency-key.ts";

/**
 * The header of an act that is done once, however often it is sent until its answer arrives: one key for as long as the
 * form, or whatever else asks for the act, is shown.
 */
export const useIdempotencyKey = (): { "Idempotency-Key": string } => {
  const [key] = useState(newIdempotencyKey);
  return { "Idempotency-Key": key };
};
