// The limit of a site: a bare Bun.serve that answers one file by a route of its own.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: { "/page": new Response(Bun.file(process.env.FILE)) },
});

console.log(`Listening on ${server.url.origin}`);
