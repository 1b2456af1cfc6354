import { createHash } from "node:crypto";
import { staticText } from "../http/static-text.ts";
import { packedBundle } from "../lib/bundle.ts" with { type: "macro" };
import { packedBytes, unpack } from "../lib/packed.ts";
import { packedStyleSheet } from "./style-sheet.ts" with { type: "macro" };

const asset = (name: string, type: string, packed: string) => {
  const content = unpack(packed);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return {
    /** Changes with the content. */
    path: `/console/assets/${hash}/${name}`,
    respond: staticText(
      content,
      `${type}; charset=utf-8`,
      { "cache-control": "public, max-age=31536000, immutable" },
      { br: packedBytes(packed) },
    ),
  };
};

export const SCRIPT = asset("console.js", "text/javascript", packedBundle("console/ui/main.tsx"));
export const STYLE = asset("console.css", "text/css", packedStyleSheet());
