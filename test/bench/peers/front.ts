// The HTTPS front by itself: it answers the same page as a constant.
import { readFileSync } from "node:fs";
import { secureContext } from "../../../src/protocols/tls/contexts.ts";
import { listenTls } from "../../../src/protocols/tls/listener.ts";

const read = (name: string): string => readFileSync(process.env[name] ?? "", "utf8");

const page = read("FILE");
const context = secureContext({ key: read("KEY"), cert: read("CHAIN") });
const { port } = await listenTls({
  host: "127.0.0.1",
  port: 0,
  contexts: { find: () => context },
  fetch: () => new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }),
  misdirected: () => new Response(null, { status: 421 }),
  plainHttp: { contentType: "text/plain", body: "" },
});

console.log(`Listening on https://127.0.0.1:${port}`);
