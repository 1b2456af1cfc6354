import { join } from "node:path";
import { DOCUMENTS, type DocumentName } from "../../../src/pages/openapi/sections.ts";
import { type Node, normalise } from "./normalise.ts";

const ROOT = join(import.meta.dir, "../../..");

const storedFile = (name: DocumentName): string => join(import.meta.dir, `${name}.json`);

export const storedDocument = (name: DocumentName): Promise<Node> => Bun.file(storedFile(name)).json();

/** What `adoption-store openapi` prints, normalised. */
export const currentDocument = async (name: DocumentName): Promise<Node> => {
  const { PATH } = process.env;
  const program = Bun.spawn([process.execPath, "src/main.ts", "openapi", name], { cwd: ROOT, env: { PATH } });
  const text = await program.stdout.text();
  if ((await program.exited) !== 0) throw new Error(`adoption-store openapi ${name} failed`);
  return normalise(JSON.parse(text));
};

if (import.meta.main)
  for (const name of DOCUMENTS)
    await Bun.write(storedFile(name), JSON.stringify(await currentDocument(name)));
