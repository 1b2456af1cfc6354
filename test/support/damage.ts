import { Database as Client } from "bun:sqlite";
import { closeSync, openSync, writeSync } from "node:fs";

/** Zeroes every page of a table or an index in a file whose log is empty, as a failing disk may do. */
export const zeroPages = (path: string, name: string): void => {
  using client = new Client(path, { readonly: true });
  const pages = client
    .query<{ pageno: number; pgsize: number }, [string]>("SELECT pageno, pgsize FROM dbstat WHERE name = ?")
    .all(name);
  const file = openSync(path, "r+");
  for (const { pageno, pgsize } of pages)
    writeSync(file, Buffer.alloc(pgsize), 0, pgsize, (pageno - 1) * pgsize);
  closeSync(file);
};
