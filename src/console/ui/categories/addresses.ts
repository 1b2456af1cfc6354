/** Where categories are shown, and what can be done to one. */
export const categoriesPath = (...parts: (string | number)[]): string =>
  ["/console/categories", ...parts].join("/");
