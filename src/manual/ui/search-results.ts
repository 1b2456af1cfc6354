import type { Result } from "./search-engine.ts";

const EXCERPT_LENGTH = 120;

const element = (name: string, className: string, text: string): HTMLElement => {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
};

/** The text around the first term that occurs in it. */
const excerptOf = ({ text, terms }: Result): string => {
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const start = Math.min(...found) - EXCERPT_LENGTH / 3;
  const from = found.length > 0 && start > 0 ? text.indexOf(" ", start) + 1 : 0;
  const end = from + EXCERPT_LENGTH;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
};

/** A line that is no result. */
export const messageItem = (text: string): HTMLElement => element("li", "none", text);

export const resultItem = (result: Result): HTMLElement => {
  const link = document.createElement("a");
  link.href = result.address;
  link.append(element("span", "heading", result.heading));
  if (result.heading !== result.page) link.append(element("span", "page", result.page));
  link.append(element("span", "excerpt", excerptOf(result)));
  const item = document.createElement("li");
  item.append(link);
  return item;
};
