/** A Markdown table; the first row is its heading, and all columns but the first are figures. */
export const table = ([heading = [], ...rows]: readonly (readonly string[])[]): string =>
  [heading, heading.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

/** Whether a target is reached, for the cell next to it. */
export const atMost = (value: number, target: number, unit: string): string =>
  `${value <= target ? "holds" : "**falls short**"} (at most ${target}${unit})`;

export const atLeast = (value: number, target: number, unit: string): string =>
  `${value >= target ? "holds" : "**falls short**"} (at least ${target}${unit})`;

export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

export const ratio = (value: number): string => value.toFixed(2);

/** Microseconds of CPU time. */
export const microseconds = (value: number): string => value.toFixed(1);

/** How many a second one core does that needs so many microseconds for each. */
export const perCore = (cpu: number): string => whole(1e6 / cpu);

/** Microseconds, as milliseconds. */
export const milliseconds = (value: number): string => `${(value / 1000).toFixed(2)} ms`;

/** Bytes, as millions of them. */
export const megabytes = (value: number): string => `${(value / 1e6).toFixed(0)} MB`;

export const section = (title: string, text: string, rows: readonly (readonly string[])[]): string =>
  `## ${title}\n\n${text}\n\n${table(rows)}\n`;
