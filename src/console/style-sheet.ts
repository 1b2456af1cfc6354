import { bundle } from "../lib/bundle.ts";
import { pack } from "../lib/packed.ts";
import { pruneCss } from "../lib/prune-css.ts";
import { ABSENT } from "./absent.ts";

/** The console's style sheet, without rules that match nothing in it. */
export const styleSheet = (): string => pruneCss(bundle("console/ui/style.css", "bun"), ABSENT);

/** A macro, as `packedBundle` is. */
export const packedStyleSheet = (): string => pack(styleSheet());
