/** The colour of a badge or a notice. */
export type Tone = "good" | "waiting" | "bad" | "quiet";
