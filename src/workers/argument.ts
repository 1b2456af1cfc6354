/** The program argument of a worker. A file of its own, because `main.ts` loads nothing else before it knows the command. */
export const WORKER = "__worker";
