import { createHash } from "node:crypto";
import { packedBundle } from "../lib/bundle.ts" with { type: "macro" };
import { unpack } from "../lib/packed.ts";

export interface Asset {
  /** Below the manual's address. Changes with the content. */
  path: string;
  type: string;
  text: string;
}

const asset = (name: string, extension: string, type: string, packed: string): Asset => {
  const text = unpack(packed);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { path: `assets/${name}-${hash}.${extension}`, type: `${type}; charset=utf-8`, text };
};

export const STYLE = asset("manual", "css", "text/css", packedBundle("manual/ui/style.css"));
export const SCRIPT = asset("manual", "js", "text/javascript", packedBundle("manual/ui/main.ts"));
/** Runs before the page is painted, so that a chosen theme does not flash. */
export const THEME_SCRIPT = asset("theme", "js", "text/javascript", packedBundle("manual/ui/theme.ts"));

export const ASSETS: readonly Asset[] = [STYLE, SCRIPT, THEME_SCRIPT];
