/** Passkeys of one person. */
export const MAX_PASSKEYS = 20;
