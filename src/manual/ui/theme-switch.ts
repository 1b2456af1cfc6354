import { applyTheme, currentTheme, keepTheme, onSystemTheme } from "./theme-choice.ts";

/** Lets the button switch between the themes. */
export const startThemeSwitch = (button: HTMLButtonElement): void => {
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
