import type { RequestHeaders } from "../http/etag.ts";
import { PAGE_POLICY } from "../http/html-page.ts";
import { staticText } from "../http/static-text.ts";
import { prefersHtml } from "../lib/accept.ts";
import { Fault } from "../lib/errors.ts";
import type { Edition } from "./edition.ts";
import { type ManualFile, manualFiles, notFoundPage } from "./manual.ts";

const HEADERS = { "content-security-policy": PAGE_POLICY };
/** For files whose path changes with their content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

const cacheControlOf = (path: string): string => (path.startsWith("assets/") ? IMMUTABLE : "no-cache");

/** @param path below the manual's address @param wantsMarkdown the client prefers Markdown to HTML */
export type Responder = (path: string, wantsMarkdown: boolean, headers: RequestHeaders) => Promise<Response>;

/** Responds with the files of the manual. Each is made once, on first use. */
export const manualResponder = (edition: Edition): Responder => {
  const files = manualFiles(edition);
  const responders = new Map<string, ReturnType<typeof staticText>>();
  const open = async (path: string, make: () => ManualFile | Promise<ManualFile>) => {
    const { text, type } = await make();
    const responder = staticText(text, type, { ...HEADERS, "cache-control": cacheControlOf(path) });
    responders.set(path, responder);
    return responder;
  };
  const responderAt = async (path: string) => {
    const make = files.get(path);
    return responders.get(path) ?? (make && open(path, make));
  };
  return async (path, wantsMarkdown, headers) => {
    const isNegotiated = files.has(`${path}.md`);
    const responder = await responderAt(isNegotiated && wantsMarkdown ? `${path}.md` : path);
    if (!responder) {
      // Only browsers get a page: every other client of this host expects its errors as JSON.
      if (!prefersHtml(headers["accept"])) throw new Fault("not_found");
      const { text, type } = notFoundPage(edition);
      return new Response(text, {
        status: 404,
        headers: { ...HEADERS, "cache-control": "no-cache", "content-type": type },
      });
    }
    const response = await responder(headers);
    if (isNegotiated) response.headers.append("vary", "Accept");
    return response;
  };
};
