import { type Result, type Search, type Entry, searchEngine } from "./search-engine.ts";

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

const messageItem = (text: string): HTMLElement => element("li", "none", text);

const resultItem = (result: Result): HTMLElement => {
  const link = document.createElement("a");
  link.href = result.address;
  link.append(element("span", "heading", result.heading));
  if (result.heading !== result.page) link.append(element("span", "page", result.page));
  link.append(element("span", "excerpt", excerptOf(result)));
  const item = document.createElement("li");
  item.append(link);
  return item;
};

interface Parts {
  /** Holds the others. */
  box: HTMLElement;
  input: HTMLInputElement;
  results: HTMLElement;
  /** Announces the results to screen readers. */
  status: HTMLElement;
}

const partsOf = (box: HTMLElement): Parts | undefined => {
  const input = box.querySelector("input");
  const results = box.querySelector<HTMLElement>(".results");
  const status = box.querySelector<HTMLElement>("[role=status]");
  return input && results && status ? { box, input, results, status } : undefined;
};

/** Loads the index when it is first needed, and again after a failure. */
const searchAt = (address: string): (() => Promise<Search>) => {
  let loading: Promise<Search> | undefined;
  const load = async () => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    return searchEngine((await response.json()) as Entry[]);
  };
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
};

const close = ({ results, status }: Parts): void => {
  results.hidden = true;
  status.textContent = "";
};

const open = ({ results, status }: Parts, message: string, items: readonly HTMLElement[]): void => {
  status.textContent = message;
  results.replaceChildren(...(items.length > 0 ? items : [messageItem(message)]));
  results.hidden = false;
};

const countText = ({ length }: readonly Result[]): string => {
  if (length === 0) return "Nothing found";
  return length === 1 ? "1 result" : `${length} results`;
};

const find = async (parts: Parts, search: () => Promise<Search>): Promise<void> => {
  const query = parts.input.value.trim();
  if (query === "") return close(parts);
  const found = await search().then(
    (run) => run(query),
    () => undefined,
  );
  // The reader has typed on, and a later call shows its results.
  if (query !== parts.input.value.trim()) return;
  if (found) open(parts, countText(found), found.map(resultItem));
  else open(parts, "The search cannot be loaded: try again.", []);
};

/** Moves the focus through the input and the results, around their ends. */
const move = ({ input, results }: Parts, step: 1 | -1): void => {
  const places: Element[] = [input, ...results.querySelectorAll("a")];
  const at = places.indexOf(document.activeElement ?? input);
  const next = places.at((at + step) % places.length);
  if (next instanceof HTMLElement) next.focus();
};

/** The keys of the input and the results. @returns false for keys with their default effect */
const handleKey = (parts: Parts, key: string): boolean => {
  const { input, results } = parts;
  if (key === "Escape") {
    close(parts);
    input.focus();
    return true;
  }
  if (results.hidden) return false;
  if (key === "ArrowDown" || key === "ArrowUp") {
    move(parts, key === "ArrowDown" ? 1 : -1);
    return true;
  }
  if (key !== "Enter" || document.activeElement !== input) return false;
  results.querySelector("a")?.click();
  return true;
};

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

/** `/` leads to the search, wherever the reader is. */
const listenForSlash = (input: HTMLInputElement): void =>
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key !== "/" || ctrlKey || metaKey || altKey || isTyping(event)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });

/** Arrows lead through the results, Enter takes the first one, Escape closes them. */
export const startSearch = (box: HTMLElement): void => {
  const parts = partsOf(box);
  if (!parts) return;
  const { input, results } = parts;
  const search = searchAt(box.dataset["index"] ?? "");
  const show = () => void find(parts, search);
  input.addEventListener("focus", () => {
    search().catch(() => {});
    show();
  });
  input.addEventListener("input", show);
  box.addEventListener("keydown", (event) => {
    if (handleKey(parts, event.key)) event.preventDefault();
  });
  box.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && box.contains(relatedTarget))) close(parts);
  });
  results.addEventListener("click", () => close(parts));
  listenForSlash(input);
};
