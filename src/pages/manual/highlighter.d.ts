/** `highlight.js` with the languages of the manual, and no others. */
export const openHighlighter: () => {
  /** Knows the aliases of a language too, such as `sh` and `js`. */
  getLanguage(name: string): object | undefined;
  /** `value` is HTML, with classes such as `hljs-string`. */
  highlight(code: string, options: { language: string }): { value: string };
};
