import { useState } from "preact/hooks";
import { newIdempotencyKey } from "../api/client.ts";

/**
 * The header with which a request can be repeated safely until its response arrives. The key stays the same while the
 * component is mounted.
 */
export const useIdempotencyKey = (): { "Idempotency-Key": string } => {
  const [key] = useState(newIdempotencyKey);
  return { "Idempotency-Key": key };
};
