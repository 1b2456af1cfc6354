import type { RequestHeaders } from "../http/etag.ts";
import { staticText } from "../http/static-text.ts";
import { type ManualFile, manualFiles, notFoundPage } from "./manual.ts";

/** This host's own files only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = { "cache-control": "no-cache", "content-security-policy": POLICY };

/** @param path below the manual's address @param wantsMarkdown the client prefers Markdown to HTML */
export type Responder = (path: string, wantsMarkdown: boolean, headers: RequestHeaders) => Promise<Response>;

const open = async (make: () => Promise<ManualFile>) => {
  const { text, type } = await make();
  return staticText(text, type, HEADERS);
};

/** Responds with the files of the manual. Each is rendered once, on first use. */
export const manualResponder = (base: string, origin: string): Responder => {
  const files = manualFiles(base, origin);
  const responders = new Map<string, Promise<ReturnType<typeof staticText>>>();
  const responderAt = (path: string) => {
    const existing = responders.get(path);
    const make = files.get(path);
    if (existing || !make) return existing;
    const responder = open(make);
    responders.set(path, responder);
    return responder;
  };
  return async (path, wantsMarkdown, headers) => {
    const isNegotiated = files.has(`${path}.md`);
    const responder = await responderAt(isNegotiated && wantsMarkdown ? `${path}.md` : path);
    if (!responder) {
      const { text, type } = notFoundPage(base);
      return new Response(text, { status: 404, headers: { ...HEADERS, "content-type": type } });
    }
    const response = await responder(headers);
    if (isNegotiated) response.headers.append("vary", "Accept");
    return response;
  };
};
