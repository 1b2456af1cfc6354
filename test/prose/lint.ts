import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import type { TextlintRuleModule } from "@textlint/types";
import { RULES, type Rule, pageProblems } from "./rules.ts";
import { sentencesOf } from "./sentences.ts";

type Context = Parameters<Extract<TextlintRuleModule, (...args: never[]) => unknown>>[0];
type Node = Parameters<typeof sentencesOf>[0];

const isQuoted = (node: Node): boolean => {
  for (let at: Node | undefined = node.parent; at; at = at.parent) if (at.type === "BlockQuote") return true;
  return false;
};

/** Runs a rule over each sentence, except in quotations, which are not our words. */
const textlintRule =
  (rule: Rule): TextlintRuleModule =>
  ({ RuleError, locator, report }: Context) => {
    const check = (node: Node): void => {
      if (isQuoted(node)) return;
      for (const { text, places } of sentencesOf(node))
        for (const { at, message } of rule(text))
          report(node, new RuleError(message, { padding: locator.at((places[at] ?? 0) - node.range[0]) }));
    };
    return { Paragraph: check, Header: check, TableCell: check };
  };

/** Judges all sentences of a page together. */
const pageRule: TextlintRuleModule = ({ RuleError, report }: Context) => {
  const sentences: string[] = [];
  return {
    Paragraph(node: Node) {
      if (!isQuoted(node)) sentences.push(...sentencesOf(node).map(({ text }) => text));
    },
    "Document:exit"(node: Node) {
      for (const message of pageProblems(sentences)) report(node, new RuleError(message));
    },
  };
};

const rules = [
  ...Object.entries(RULES).map(([ruleId, rule]) => ({ ruleId, rule: textlintRule(rule) })),
  { ruleId: "page", rule: pageRule },
];
const plugins = [{ pluginId: "markdown", plugin: markdown }];

/** A problem, at the line and column of its file, from 1. */
export interface Complaint {
  line: number;
  column: number;
  rule: string;
  message: string;
}

/** Checks the prose of a Markdown text: paragraphs, headings and cells, not code and quotations. */
export const lintProse = async (text: string): Promise<Complaint[]> => {
  const { messages } = await new TextlintKernel().lintText(text, {
    ext: ".md",
    rules,
    plugins,
  });
  return messages.map(({ loc, ruleId, message }) => ({
    line: loc.start.line,
    column: loc.start.column,
    rule: ruleId,
    message,
  }));
};
