import { applyTheme, currentTheme, keepTheme, onSystemTheme } from "./theme-choice.ts";
import { startSearch } from "./search.ts";

/** Lets the button switch between the themes. */
const startThemeSwitch = (button: HTMLButtonElement): void => {
  const show = () => button.setAttribute("aria-pressed", String(currentTheme() === "dark"));
  button.addEventListener("click", () => {
    const theme = currentTheme() === "dark" ? "light" : "dark";
    keepTheme(theme);
    applyTheme(theme);
    button.setAttribute("aria-pressed", String(theme === "dark"));
  });
  onSystemTheme(show);
  show();
};

const COPY_LABEL = "Copy";
const SHOWN_MS = 2000;

/** The code of a block; of a terminal, its commands alone. */
const copiedText = (code: Element): string => {
  const commands = [...code.querySelectorAll(".command")].map((command) => command.textContent);
  return commands.length > 0 ? commands.join("\n") : (code.textContent ?? "");
};

/** The clipboard of pages over plain HTTP, where `navigator.clipboard` does not exist. */
const copyWithSelection = (text: string): boolean => {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  return isCopied;
};

const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
};

/** Shows the result of a click for a moment. */
const announcer = (button: HTMLButtonElement) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (isCopied: boolean): void => {
    // The other way to copy took the focus.
    button.focus();
    button.textContent = isCopied ? "Copied" : "Select it, then press Ctrl+C";
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = COPY_LABEL;
    }, SHOWN_MS);
  };
};

/** Puts a button to copy on a block of code. */
const addCopyButton = (block: HTMLElement): void => {
  // A caption may contain other code, such as the status of a response.
  const code = block.querySelector("pre code");
  if (!code) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = COPY_LABEL;
  button.setAttribute("aria-live", "polite");
  const announce = announcer(button);
  button.addEventListener("click", () => {
    void copy(copiedText(code)).then(announce);
  });
  block.append(button);
};

const LANGUAGE_KEY = "adoption-store-language";

const storedLanguage = (): string | undefined => {
  try {
    return localStorage.getItem(LANGUAGE_KEY) ?? undefined;
  } catch {
    // Storage can be forbidden.
    return undefined;
  }
};

const storeLanguage = (language: string): void => {
  try {
    localStorage.setItem(LANGUAGE_KEY, language);
  } catch {
    // The choice then holds for this page.
  }
};

/** Keeps the chosen language of examples for the next page. The style sheet shows the examples. */
const keepLanguage = (choices: Iterable<HTMLInputElement>): void => {
  const language = storedLanguage();
  for (const choice of choices) {
    if (choice.value === language) choice.checked = true;
    choice.addEventListener("change", () => storeLanguage(choice.value));
  }
};

const updateFocus = (box: Element): void => {
  if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
  else box.removeAttribute("tabindex");
};

/** Without a script every box that might scroll takes the focus. This leaves it to those that do. */
const watchScrolling = (boxes: Iterable<HTMLElement>): void => {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) updateFocus(target);
  });
  for (const box of boxes) observer.observe(box);
};

const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector);

for (const box of all(".search")) startSearch(box);
for (const button of document.querySelectorAll<HTMLButtonElement>("button.theme")) startThemeSwitch(button);
for (const block of all("figure.code")) addCopyButton(block);
keepLanguage(document.querySelectorAll<HTMLInputElement>(".languages input"));
watchScrolling(all("pre, .scroll"));

// The page that is read may be far down in a long menu.
document.querySelector(".sidebar [aria-current]")?.scrollIntoView({ block: "center" });
