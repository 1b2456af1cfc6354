import type { components } from "../../../../client/types/store.d.ts";
import type { Status } from "./animal.ts";
import { formatCount, pluralize } from "../parts/wording.ts";

export type Statistics = components["schemas"]["Statistics"];
export type Day = Statistics["addedByDay"][number];

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** "20 November" @param date such as 2026-11-20 */
export const dayName = (date: string): string => days.format(new Date(date));

/** The chart in a sentence. */
export const summaryOf = (days: readonly Day[]): string => {
  const sum = days.reduce((sum, { count }) => sum + count, 0);
  if (sum === 0) return "No animals were added.";
  const most = days.reduce((most, day) => (day.count > most.count ? day : most));
  const added = `${pluralize(sum, "animal")} ${sum === 1 ? "was" : "were"} added`;
  return sum === most.count
    ? `${added} on ${dayName(most.date)}.`
    : `${added}, the most on ${dayName(most.date)}: ${formatCount(most.count)}.`;
};

/** The bar of a day, in a coordinate system of `days.length` by 1 with its origin at the top left. */
interface Bar {
  day: Day;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The space between bars, as a share of a day's width. */
const GAP = 0.2;
/** The height of the smallest bar, as a share of the whole, so that it can be seen. */
const MIN_HEIGHT = 0.04;

/** The bars of the chart; days without animals have none. */
export const barsOf = (days: readonly Day[]): Bar[] => {
  const most = Math.max(...days.map(({ count }) => count));
  return days.flatMap((day, at) => {
    if (day.count === 0) return [];
    const height = Math.max(MIN_HEIGHT, day.count / most);
    return [{ day, x: at + GAP / 2, y: 1 - height, width: 1 - GAP, height }];
  });
};

/** How many animals have a status. */
export const countOf = ({ total, byStatus }: Statistics, status: Status | undefined): number =>
  status ? byStatus[status] : total;
