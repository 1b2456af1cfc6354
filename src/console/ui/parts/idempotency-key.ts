/** 128 random bits. Not `crypto.randomUUID`, which browsers give to pages over HTTPS or of this machine only. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
