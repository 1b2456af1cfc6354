import { LANGUAGES } from "../samples/samples.ts";
import { escape } from "./markup.ts";

/** Makes HTML of source text. `language` is one of highlight.js. */
export type Highlight = (source: string, language: string) => string;

const NAMES: Record<string, string> = { curl: "bash" };

export const codeBlock = (source: string, language: string, highlight: Highlight): string =>
  `<pre tabindex="0"><code>${highlight(source, NAMES[language] ?? language)}</code></pre>`;

/** One choice for all samples of a page. The style sheet shows those of the checked language, without JavaScript. */
export const languageChoice = (): string => {
  const options = LANGUAGES.map(
    ({ lang, label }, at) =>
      `<label><input type="radio" name="language" id="language-${lang}" value="${lang}"${at === 0 ? " checked" : ""}> ${escape(label)}</label>`,
  );
  return `<fieldset class="languages">\n<legend>Examples in</legend>\n${options.join("\n")}\n</fieldset>`;
};
