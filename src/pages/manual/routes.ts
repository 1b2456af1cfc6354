import { Elysia, t } from "elysia";
import type { RequestHeaders } from "../../http/etag.ts";
import type { Macros } from "../../http/macros.ts";
import { prefersMarkdown } from "../../lib/accept.ts";
import { type Edition, MANUAL_PATH } from "./edition.ts";
import type { Responder } from "./manual.ts";

/** The manual: HTML pages, their Markdown, and `/llms.txt`. The address of the host itself leads to it. */
export const manualRoutes = ({ edition, macros }: { edition: Edition; macros: Macros }) => {
  let responder: Promise<Responder> | undefined;
  // Imported on first use, so that it does not slow down the start.
  const open = async () => (await import("./manual.ts")).manualResponder(edition);
  const respond = async (path: string, headers: RequestHeaders) => {
    responder ??= open();
    return (await responder)(path, prefersMarkdown(headers["accept"]), headers);
  };
  // Links to pages may carry a query that means nothing here.
  const page = { public: true, query: t.Record(t.String(), t.String()), detail: { hide: true } } as const;
  return new Elysia({ name: "manual", normalize: false })
    .use(macros)
    .get("/", () => new Response(null, { status: 302, headers: { location: MANUAL_PATH } }), page)
    .get(MANUAL_PATH, ({ headers }) => respond("index", headers), page)
    .get(`${MANUAL_PATH}.md`, ({ headers }) => respond("index.md", headers), page)
    .get(`${MANUAL_PATH}/*`, ({ params, headers }) => respond(params["*"] || "index", headers), page)
    .get("/llms.txt", ({ headers }) => respond("llms.txt", headers), page);
};
