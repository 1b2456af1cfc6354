import type { AnyTxtNode, TxtParentNode } from "@textlint/ast-node-types";
import { split } from "sentence-splitter";

/** Stands for a piece of code: one word without letters. */
export const CODE = "\u{FFFC}";

export interface Sentence {
  text: string;
  /** The place in the file of each character of `text`. */
  places: readonly number[];
}

const isParent = (node: AnyTxtNode): node is TxtParentNode & AnyTxtNode => "children" in node;

/** What a reader reads of a node: code is one word, an image is nothing. */
const readableOf = (node: AnyTxtNode): Sentence => {
  const [start] = node.range;
  if (node.type === "Str") return { text: node.raw, places: [...node.raw].map((_, index) => start + index) };
  if (node.type === "Code") return { text: CODE, places: [start] };
  if (node.type === "Break") return { text: " ", places: [start] };
  if (node.type === "Image" || !isParent(node)) return { text: "", places: [] };
  const parts = node.children.map(readableOf);
  return { text: parts.map(({ text }) => text).join(""), places: parts.flatMap(({ places }) => places) };
};

/** The splitter takes "500. Then" for a decimal point. */
const withoutLastDigits = (text: string): string => text.replaceAll(/\d(?=[.?!]\s+\p{Lu})/gu, "x");

const splitSentences = (node: AnyTxtNode): Sentence[] => {
  const { text, places } = readableOf(node);
  return split(withoutLastDigits(text))
    .filter(({ type }) => type === "Sentence")
    .map(({ range: [from, to] }) => ({ text: text.slice(from, to), places: places.slice(from, to) }));
};

/** Splitting takes longer than all rules together, and each rule asks. */
const known = new WeakMap<AnyTxtNode, Sentence[]>();

/** The sentences of a paragraph, a heading or a cell. */
export const sentencesOf = (node: AnyTxtNode): Sentence[] => {
  const sentences = known.get(node) ?? splitSentences(node);
  known.set(node, sentences);
  return sentences;
};

/** A word, a number, a piece of code; `don't`, `well-kept` and `1.4.4` are one each. */
const WORD = /[\p{L}\p{N}\u{FFFC}](?:[^\s—]*[\p{L}\p{N}\u{FFFC}])?/gu;

export const wordsIn = (text: string): number => text.match(WORD)?.length ?? 0;
