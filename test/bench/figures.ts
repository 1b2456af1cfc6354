import { type Results, medianOf } from "./contest.ts";
import { microseconds, milliseconds, perCore, whole } from "./table.ts";

/** Headings of the columns that `figuresOf` fills. */
export const FIGURES = [
  "server",
  "requests/s per core",
  "requests/s",
  "p50",
  "p99",
  "CPU µs a request",
] as const;

/** What a table says first of a contestant; its first figure depends least on what else the machine does. */
export const figuresOf = (results: Results, name: string): string[] => [
  name,
  perCore(medianOf(results, name, "cpu")),
  whole(medianOf(results, name, "rate")),
  milliseconds(medianOf(results, name, "p50")),
  milliseconds(medianOf(results, name, "p99")),
  microseconds(medianOf(results, name, "cpu")),
];
