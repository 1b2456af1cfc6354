import { join } from "node:path";
import { compile } from "../../build/compile.ts";

/** Where reads wait for the records of others, and what takes its place. */
const RIGHT = "await confirm();\n    begin();";
const WRONG = "begin();";

/** Compiles the program with a mistake: reads of a replica wait for nothing. @returns the executable */
export const buildStaleProgram = async (directory: string): Promise<string> => {
  const outfile = join(directory, "stale-program");
  let isWrong = false;
  await compile({
    outfile,
    plugins: [
      {
        name: "stale reads",
        setup: (build) =>
          void build.onLoad({ filter: /src\/data\/cluster\/reads\.ts$/ }, async ({ path }) => {
            const source = await Bun.file(path).text();
            isWrong = source.includes(RIGHT);
            return { contents: source.replace(RIGHT, WRONG), loader: "ts" };
          }),
      },
    ],
  });
  if (!isWrong) throw new Error("src/data/cluster/reads.ts has changed: change RIGHT and WRONG");
  return outfile;
};
