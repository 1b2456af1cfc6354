/** `bun run build`: the executable. `--target` and `--outfile` make that of another platform. */
import { parseArgs } from "node:util";
import { compile } from "./compile.ts";

const { values } = parseArgs({
  options: { target: { type: "string" }, outfile: { type: "string", default: "dist/adoption-store" } },
});

await compile(values);
