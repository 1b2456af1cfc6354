// The limit: a bare Bun.serve that answers what adoption-store answered once, and asks nobody.
const { headers, body } = await Bun.file(process.env.ANSWER).json();
const bytes = new TextEncoder().encode(body);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(bytes, { headers }),
});

console.log(`Listening on ${server.url.origin}`);
