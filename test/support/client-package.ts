import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import ts from "typescript";
import { version } from "../../package.json";
import { CLIENT_TYPES, GENERATED, writeClientTypes } from "./client-types.ts";

const ROOT = join(import.meta.dir, "../..");
const CLIENT = join(ROOT, "src/client");
const ENTRY = join(CLIENT, "index.ts");

const bundle = async (outdir: string): Promise<void> => {
  await Bun.build({ entrypoints: [ENTRY], outdir, target: "browser", format: "esm" });
};

/** `bun run check` has checked the types. */
const DECLARATIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.Preserve,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noCheck: true,
  declaration: true,
  emitDeclarationOnly: true,
  rewriteRelativeImportExtensions: true,
  rootDirs: [join(ROOT, "src"), GENERATED],
};

/** Writes the declarations of all modules. The compiler does not copy the generated ones. */
const declare = async (outDir: string): Promise<void> => {
  const { emitSkipped } = ts.createProgram([ENTRY], { ...DECLARATIONS, outDir }).emit();
  if (emitSkipped) throw new Error("the compiler wrote no declarations");
  for await (const file of new Bun.Glob("*.d.ts").scan(CLIENT_TYPES))
    await Bun.write(join(outDir, "types", file), Bun.file(join(CLIENT_TYPES, file)));
};

/** Makes the package of the client, which needs no other. @returns the path of the archive */
export const packClient = async (destination: string): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), "adoption-store-client-"));
  try {
    await writeClientTypes();
    await bundle(directory);
    await declare(directory);
    const manifest = (await Bun.file(join(CLIENT, "package.json")).json()) as object;
    await Bun.write(join(directory, "package.json"), JSON.stringify({ ...manifest, version }, null, 2));
    await Bun.write(join(directory, "README.md"), Bun.file(join(CLIENT, "README.md")));
    await Bun.write(join(directory, "LICENSE"), Bun.file(join(ROOT, "LICENSE")));
    const pack = Bun.spawn([process.execPath, "pm", "pack", "--quiet", "--destination", destination], {
      cwd: directory,
    });
    const name = (await pack.stdout.text()).trim();
    if ((await pack.exited) !== 0) throw new Error("bun pm pack failed");
    return join(destination, basename(name));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

if (import.meta.main) console.log(await packClient(join(ROOT, "dist")));
