import { expect, test } from "bun:test";
import { pruneCss } from "../../src/lib/prune-css.ts";

const prune = (css: string, ...absent: string[]): string => pruneCss(css, new Set(absent));

const CASES: readonly [fact: string, css: string, absent: string[], pruned: string][] = [
  ["a rule for an absent tag is dropped", "hr{margin:0}p{margin:0}", ["hr"], "p{margin:0}"],
  ["one selector of a list is dropped", ".grid,p{margin:0}", [".grid"], "p{margin:0}"],
  ["the tag of another name stays", "hr,thread{margin:0}", ["hr"], "thread{margin:0}"],
  ["an attribute is absent with all its values", "[dir=rtl] p{margin:0}p{top:0}", ["[dir]"], "p{top:0}"],
  ["only the absent value is dropped", "[type=a],[type=b]{top:0}", ["[type=a]"], "[type=b]{top:0}"],
  ["an alternative inside of :is() is dropped", ":is(hr,p) b{top:0}", ["hr"], ":is(p) b{top:0}"],
  ["a rule without another alternative is dropped", ":where(hr,kbd) b{top:0}", ["hr", "kbd"], ""],
  ["the last name inside of :not() stays", "p:not(hr){top:0}", ["hr"], "p:not(hr){top:0}"],
  ["a nested rule is dropped", "p{top:0;& hr{top:1px}}", ["hr"], "p{top:0}"],
  ["a block of rules that is empty goes with them", "@media print{hr{top:0}}", ["hr"], ""],
  ["a property that only a dropped rule used is dropped", ":root{--a:0}hr{top:var(--a)}", ["hr"], ""],
  [
    "a property that only such a property used is too",
    ":root{--a:0;--b:var(--a)}hr{top:var(--b)}",
    ["hr"],
    "",
  ],
  ["a property with a use stays", ":root{--a:0}p{top:var(--a)}", ["hr"], ":root{--a:0}p{top:var(--a)}"],
  ["keyframes without a use are dropped", "@keyframes turn{0%{top:0}}", [], ""],
  [
    "keyframes with a use stay",
    "@keyframes turn{0%{top:0}}p{animation:1s turn}",
    [],
    "@keyframes turn{0%{top:0}}p{animation:1s turn}",
  ],
];

test.each([...CASES])("%s", (_, css, absent, pruned) => {
  expect(prune(css, ...absent)).toBe(pruned);
});
