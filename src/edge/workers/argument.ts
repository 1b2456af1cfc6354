/** The program argument of a worker. It has a separate file, because `main.ts` loads nothing else before it knows the command. */
export const WORKER = "__worker";
