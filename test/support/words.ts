/** The words of a text: a list of short values that have no spaces. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
