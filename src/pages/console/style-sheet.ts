import { bundle } from "../../lib/bundle.ts";
import { pack } from "../../lib/packed.ts";
import { pruneCss } from "../../lib/prune-css.ts";

const TAGS =
  "abbr address area aside audio b canvas cite del dfn embed figcaption figure h5 h6 hgroup hr i iframe ins kbd mark object optgroup picture q s samp sub sup template tfoot u var video";
const CLASSES =
  ".container-fluid .contrast .grid .modal-is-closing .modal-is-open .modal-is-opening .overflow-auto .striped";
const ATTRIBUTES = "[data-theme] [data-tooltip] [readonly]";
const VALUES =
  "[aria-hidden=false] [aria-invalid=false] [aria-label=breadcrumb] [rel=prev] [role=group] [role=link] [role=search] [role=switch] [type=color] [type=datetime-local] [type=month] [type=range] [type=reset] [type=time] [type=week]";
/** Those of shadow trees, of browsers without `@layer`, and old names whose current name has a rule too. */
const PSEUDO =
  ":host ::-moz-list-bullet ::-moz-selection ::-ms-check ::-ms-expand ::-webkit-input-placeholder";

/**
 * Elements that Pico styles but no page of the console has. Their styles are left out of the style sheet. Delete a name
 * here when the console begins to use it. Tests compare the list with the console's sources and with its pages.
 */
export const ABSENT: ReadonlySet<string> = new Set(
  [TAGS, CLASSES, ATTRIBUTES, VALUES, PSEUDO].flatMap((names) => names.split(" ")),
);

/** The console's style sheet, without rules that match nothing in it. */
const styleSheet = (): string => pruneCss(bundle("pages/console/ui/style.css", "bun"), ABSENT);

/** A macro, as `packedBundle` is. */
export const packedStyleSheet = (): string => pack(styleSheet());
