/** `bun run build`: the executable. `--target` and `--outfile` make that of another platform. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "./compile.ts";
import { recordStart } from "./record-start.ts";

const { values } = parseArgs({
  options: { target: { type: "string" }, outfile: { type: "string", default: "dist/adoption-store" } },
});

const directory = mkdtempSync(join(tmpdir(), "adoption-store-build-"));
try {
  const executable = join(directory, "adoption-store");
  await compile({ outfile: executable });
  const bytecodeOrder = await recordStart(executable, directory);
  await compile({ ...values, bytecodeOrder });
} finally {
  rmSync(directory, { recursive: true });
}
