/**
 * The generated parts of pages, by the name in their placeholder: the line `{{settings}}` becomes what `settings` returns.
 * They return Markdown. They import what they describe when they are called, so that the manual costs nothing at the start.
 */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  settings: async () => (await import("./generated/settings.ts")).settingsTables(),
  errors: async () => (await import("./generated/errors.ts")).errorSections(),
  scopes: async () => (await import("./generated/scopes.ts")).scopesTable(),
};
