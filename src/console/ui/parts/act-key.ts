import { useState } from "preact/hooks";

/** 128 random bits. Not `crypto.randomUUID`, which browsers give to pages over HTTPS or of this machine only. */
export const newActKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

/**
 * The header of an act that is done once, however often it is sent until its answer arrives: one key for as long as the
 * form, or whatever else asks for the act, is shown.
 */
export const useActKey = (): { "Idempotency-Key": string } => {
  const [key] = useState(newActKey);
  return { "Idempotency-Key": key };
};
