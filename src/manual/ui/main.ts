import { addCopyButton } from "./copy.ts";
import { keepLanguage } from "./language-choice.ts";
import { watchScrolling } from "./scrolling.ts";
import { startSearch } from "./search.ts";
import { startThemeSwitch } from "./theme-switch.ts";

const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector);

for (const box of all(".search")) startSearch(box);
for (const button of document.querySelectorAll<HTMLButtonElement>("button.theme")) startThemeSwitch(button);
for (const block of all("figure.code")) addCopyButton(block);
keepLanguage(document.querySelectorAll<HTMLInputElement>(".languages input"));
watchScrolling(all("pre, .scroll"));

// The page that is read may be far down in a long menu.
document.querySelector(".sidebar [aria-current]")?.scrollIntoView({ block: "center" });
