import type { Int64 } from "../api/client.ts";

/** Parses an integer, exactly even beyond 2^53. Other text is returned unchanged: the API says what is wrong with it. */
export const integerOf = (text: string): Int64 =>
  /^-?\d{1,30}$/.test(text.trim()) ? BigInt(text.trim()) : (text as unknown as Int64);
