import { hash, randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";
import { KEY_BY_HASH, PETS_AFTER, PRAGMAS, mayRead, toPage } from "./contract.js";

const database = new Database(process.env.DATABASE, { fileMustExist: true });
for (const pragma of PRAGMAS) database.pragma(pragma);
const keyByHash = database.prepare(KEY_BY_HASH);
const petsAfter = database.prepare(PETS_AFTER);

const LIMIT = { type: "integer", minimum: 1, maximum: 100, default: 20 };

// With a schema of the answer, Fastify compiles a serialiser for it.
const PET = {
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    categoryId: { type: "integer" },
    status: { type: "string" },
  },
};

const app = Fastify({ logger: false, requestIdHeader: "x-request-id", genReqId: () => randomUUID() });

app.addHook("onRequest", (request, reply, done) => {
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (token && mayRead(keyByHash.get(hash("sha256", token, "hex")), Date.now())) return done();
  reply.code(401).send({ code: "invalid_api_key", message: "The API key is not valid.", status: 401 });
});

app.get(
  "/v1/pets",
  {
    schema: {
      querystring: { type: "object", properties: { limit: LIMIT }, additionalProperties: false },
      response: { 200: { type: "array", items: PET } },
    },
  },
  (request, reply) => {
    const { limit } = request.query;
    const { pets, headers } = toPage(petsAfter.all(0, limit + 1), limit, request.id);
    reply.headers(headers).send(pets);
  },
);

console.log(`Listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`);
