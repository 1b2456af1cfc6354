import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { ContentCoding } from "../lib/accept.ts";
import { bundle } from "./bundle.ts" with { type: "macro" };

export interface Asset {
  /** Changes with its content. */
  path: string;
  type: string;
  content: string;
}

const asset = (name: string, type: string, content: string): Asset => {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return { path: `/console/assets/${hash}/${name}`, type: `${type}; charset=utf-8`, content };
};

export const SCRIPT = asset("console.js", "text/javascript", bundle("main.tsx"));
export const STYLE = asset("console.css", "text/css", bundle("style.css"));

const COMPRESS: Record<ContentCoding, (content: string) => Uint8Array> = {
  br: (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content) => gzipSync(content, { level: 9 }),
};

const compressed = new Map<string, Uint8Array<ArrayBuffer>>();

/** Compressed once, when it is first asked for. */
export const compressedOf = ({ path, content }: Asset, coding: ContentCoding): Uint8Array<ArrayBuffer> => {
  const name = `${coding} ${path}`;
  const made = compressed.get(name) ?? new Uint8Array(COMPRESS[coding](content));
  compressed.set(name, made);
  return made;
};
