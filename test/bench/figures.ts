import { type Results, medianOf } from "./contest.ts";
import { microseconds, milliseconds, whole } from "./table.ts";

/** Headings of the columns that `figuresOf` fills. */
export const FIGURES = ["server", "requests/s", "p50", "p99", "CPU µs a request"] as const;

/** What a table says first of a contestant. */
export const figuresOf = (results: Results, name: string): string[] => [
  name,
  whole(medianOf(results, name, "rate")),
  milliseconds(medianOf(results, name, "p50")),
  milliseconds(medianOf(results, name, "p99")),
  microseconds(medianOf(results, name, "cpu")),
];
