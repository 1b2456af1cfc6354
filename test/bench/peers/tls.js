// The limit of HTTPS: a bare Bun.serve with its own TLS that answers the same page as a constant.
import { readFileSync } from "node:fs";

const page = readFileSync(process.env.FILE, "utf8");
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  http2: true,
  tls: { key: readFileSync(process.env.KEY, "utf8"), cert: readFileSync(process.env.CHAIN, "utf8") },
  fetch: () => new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }),
});

console.log(`Listening on ${server.url.origin}`);
