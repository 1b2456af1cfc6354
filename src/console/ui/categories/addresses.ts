/** The address of the list, or of an action on a category. */
export const categoriesPath = (...parts: (string | number)[]): string =>
  ["/console/categories", ...parts].join("/");
