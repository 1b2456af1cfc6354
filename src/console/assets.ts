import { createHash } from "node:crypto";
import { staticText } from "../http/static-text.ts";
import { bundle } from "../lib/bundle.ts" with { type: "macro" };
import { styleSheet } from "./style-sheet.ts" with { type: "macro" };

const asset = (name: string, type: string, content: string) => {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return {
    /** Changes with the content. */
    path: `/console/assets/${hash}/${name}`,
    respond: staticText(content, `${type}; charset=utf-8`, {
      "cache-control": "public, max-age=31536000, immutable",
    }),
  };
};

export const SCRIPT = asset("console.js", "text/javascript", bundle("console/ui/main.tsx"));
export const STYLE = asset("console.css", "text/css", styleSheet());
