/** What a badge or a notice says before it is read. */
export type Tone = "good" | "waiting" | "bad" | "quiet";
