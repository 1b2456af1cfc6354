/** True for a database in memory or in a nameless temporary file, which no other connection can open. */
export const isInMemory = (path: string): boolean => path === "" || path === ":memory:";
