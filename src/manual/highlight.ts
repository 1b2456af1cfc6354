import { once } from "../lib/lazy.ts";
import { openHighlighter } from "./highlighter.js";

const highlighter = once(openHighlighter);

/** The HTML of code, with the classes of highlight.js; without them if the language is unknown. */
export const highlight = (code: string, language: string): string => {
  const opened = highlighter();
  return opened.getLanguage(language) ? opened.highlight(code, { language }).value : Bun.escapeHTML(code);
};
