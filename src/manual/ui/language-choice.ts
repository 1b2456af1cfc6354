const KEY = "adoption-store-language";

const stored = (): string | undefined => {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    // Storage can be forbidden.
    return undefined;
  }
};

const store = (language: string): void => {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // The choice then holds for this page.
  }
};

/** Keeps the chosen language of examples for the next page. The style sheet shows the examples. */
export const keepLanguage = (choices: Iterable<HTMLInputElement>): void => {
  const language = stored();
  for (const choice of choices) {
    if (choice.value === language) choice.checked = true;
    choice.addEventListener("change", () => store(choice.value));
  }
};
