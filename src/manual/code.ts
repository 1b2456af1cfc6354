import { highlight } from "./highlight.ts";

/** A fence's info string: ```` ```js file=walk.mjs ````. */
export interface Info {
  language: string;
  /** The file that the reader saves the code as. */
  file: string | undefined;
}

/** Reads the class that the info string became: `language-js file=walk.mjs`, with a no-break space. */
export const infoOf = (className: string): Info => {
  const [language = "", ...attributes] = className.replace(/^language-/, "").split(/\s/);
  const file = attributes.find((attribute) => attribute.startsWith("file="));
  return { language, file: file?.slice("file=".length) };
};

const FENCE = /^([ \t]*(?:`{3,}|~{3,})[\w-]+) (.+)$/gm;

/** Bun.markdown keeps an info string up to its first space: a no-break space keeps the attributes. */
export const keepAttributes = (markdown: string): string =>
  markdown.replace(FENCE, (_whole, fence: string, attributes: string) =>
    `${fence} ${attributes}`.replaceAll(/(?<=\S) (?=\S)/g, "\u00a0"),
  );

const PROMPT = /^[$#] /;

const span = (className: string, html: string): string => `<span class="${className}">${html}</span>`;

/**
 * A terminal: the lines that begin with `$ ` or `# `, and their continuations after a backslash, are commands. The others are
 * output.
 */
const terminal = (code: string): string => {
  let continues = false;
  return code
    .split("\n")
    .map((line) => {
      const prompt = continues ? "" : (PROMPT.exec(line)?.[0] ?? "");
      const isCommand = continues || prompt !== "";
      continues = isCommand && line.endsWith("\\");
      if (!isCommand) return line && span("output", Bun.escapeHTML(line));
      const command = span("command", highlight(line.slice(prompt.length), "bash"));
      return prompt === "" ? command : span("prompt", prompt) + command;
    })
    .join("\n");
};

/** The HTML of a code block. */
export const codeHtml = (code: string, language: string): string =>
  language === "console" ? terminal(code) : highlight(code, language);
