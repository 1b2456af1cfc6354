import { applyTheme, chosenTheme } from "./theme-choice.ts";

document.documentElement.classList.add("js");
applyTheme(chosenTheme());
