/** The first and the last byte of a range, counted from 0, both included. */
export type Range = [first: number, last: number];

/**
 * Reads a Range header for a body of `size` bytes (RFC 9110 section 14.1.2).
 * @returns the range; `unsatisfiable` if it selects no byte; undefined if the header must be ignored, because it has another
 * unit, has several ranges, or is malformed
 */
export const readRange = (header: string, size: number): Range | "unsatisfiable" | undefined => {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? [];
  if (from === "" && to === "") return undefined;
  if (from === "")
    return Number(to) === 0 || size === 0 ? "unsatisfiable" : [Math.max(0, size - Number(to)), size - 1];
  if (to !== "" && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return "unsatisfiable";
  return [Number(from), to === "" ? size - 1 : Math.min(Number(to), size - 1)];
};
