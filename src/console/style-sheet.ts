import { bundle } from "../lib/bundle.ts";
import { pruneCss } from "../lib/prune-css.ts";
import { ABSENT } from "./absent.ts";

/** A macro, as `bundle` is: the console's style sheet, without rules that match nothing in it. */
export const styleSheet = (): string => pruneCss(bundle("console/ui/style.css", "bun"), ABSENT);
