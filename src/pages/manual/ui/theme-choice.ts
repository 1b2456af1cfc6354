type Theme = "light" | "dark";

const KEY = "manual-theme";

/** The theme that the reader chose; undefined follows the system. Storage may be refused. */
export const chosenTheme = (): Theme | undefined => {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    return undefined;
  }
};

/** Keeps the choice for other pages and later visits, if the browser lets it. */
export const keepTheme = (theme: Theme): void => {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // This page changes all the same.
  }
};

export const applyTheme = (theme: Theme | undefined): void => {
  if (theme === undefined) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
};

const darkByDefault = matchMedia("(prefers-color-scheme: dark)");

export const currentTheme = (): Theme => chosenTheme() ?? (darkByDefault.matches ? "dark" : "light");

/** Calls back when the system's theme changes. */
export const onSystemTheme = (callback: () => void): void =>
  darkByDefault.addEventListener("change", callback);
