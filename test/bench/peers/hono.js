import { Database } from "bun:sqlite";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { validator } from "hono/validator";
import { KEY_BY_HASH, PETS_AFTER, PRAGMAS, mayRead, toPage } from "./contract.js";

const database = new Database(process.env.DATABASE, { readwrite: true });
for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`);
const keyByHash = database.query(KEY_BY_HASH);
const petsAfter = database.query(PETS_AFTER);

const errorOf = (status, code, message) => ({ code, message, status });

const limitOf = validator("query", ({ limit = "20" }, c) =>
  /^([1-9][0-9]?|100)$/.test(limit)
    ? { limit: Number(limit) }
    : c.json(errorOf(400, "invalid_request", "limit: must be an integer from 1 to 100"), 400),
);

const app = new Hono();

app.use(
  "/v1/*",
  bearerAuth({ verifyToken: (token) => mayRead(keyByHash.get(Bun.SHA256.hash(token, "hex")), Date.now()) }),
);

app.get("/v1/pets", limitOf, (c) => {
  const { limit } = c.req.valid("query");
  const requestId = c.req.header("x-request-id") ?? crypto.randomUUID();
  const { pets, headers } = toPage(petsAfter.all(0, limit + 1), limit, requestId);
  return c.body(JSON.stringify(pets), 200, headers);
});

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });

console.log(`Listening on ${server.url.origin}`);
