/** A whole number as it was typed: one beyond a double's precision stays exact; what is none is left to the API to refuse. */
export const integerOf = (text: string): number =>
  (/^-?\d{1,30}$/.test(text.trim()) ? BigInt(text.trim()) : text) as unknown as number;
