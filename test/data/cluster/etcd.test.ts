import { afterEach, expect, test } from "bun:test";
import { EngineUnanswered } from "../../../src/data/cluster/engines/attempt.ts";
import {
  type EtcdGateway,
  etcdGateway,
  openSession,
} from "../../../src/data/cluster/engines/etcd-gateway.ts";
import { EngineUnavailable } from "../../../src/data/cluster/log.ts";
import { parseDatabaseUrl } from "../../../src/lib/database-url.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { headText, parseHead } from "../../../src/data/cluster/engines/etcd.ts";

type Respond = (path: string, request: Request) => Response | Promise<Response>;

let cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanUp of cleanups.toReversed()) cleanUp();
  cleanups = [];
});

/** A member that responds as the test wants, and what it was asked. */
const member = (respond: Respond) => {
  const paths: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const path = new URL(request.url).pathname.replace(/^\/(v3\/)?/, "");
      if (path === "health") return Response.json({ health: "false" });
      paths.push(path);
      return respond(path, request);
    },
  });
  cleanups.push(() => server.stop(true));
  return { address: `127.0.0.1:${server.port}`, paths };
};
const silent: Respond = () => new Promise(() => {});
const kind: Respond = () => Response.json({ kvs: [] });
const failing =
  (status: number, message: string): Respond =>
  () =>
    Response.json({ error: message, message, code: 0 }, { status });

const open = (addresses: readonly string[], credentials = ""): EtcdGateway => {
  const url = parseDatabaseUrl(`etcd://${credentials}${addresses.join(",")}/a`);
  const gateway = etcdGateway(openSession(url, undefined));
  cleanups.push(() => gateway.close());
  return gateway;
};
/** Nothing listens there. */
const closedAddress = (): string => {
  using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return `127.0.0.1:${server.port}`;
};

test("a call goes to the first member, and to the next one if nothing listens there", async () => {
  const other = member(kind);
  const gateway = open([closedAddress(), other.address]);
  expect(await gateway.call<object>("kv/range", {})).toEqual({ kvs: [] });
  expect(other.paths).toEqual(["kv/range"]);
});

test("a call goes to the next member when one is silent, which is then avoided", async () => {
  const [first, other] = [member(silent), member(kind)];
  const gateway = open([first.address, other.address]);
  for (let n = 0; n < 3; n++) await gateway.call("kv/range", {});
  expect(first.paths).toHaveLength(1);
  expect(other.paths).toHaveLength(3);
});

test("a call is repeated while there is no leader", async () => {
  let calls = 0;
  const only = member((path, request) =>
    ++calls < 3 ? failing(503, "etcdserver: leader changed")(path, request) : kind(path, request),
  );
  expect(await open([only.address]).call<object>("kv/range", {})).toEqual({ kvs: [] });
});

test("a call may have been carried out, if it was sent and no result came", async () => {
  for (const respond of [silent, failing(503, "etcdserver: request timed out")]) {
    const outcome = await outcomeOf(open([member(respond).address]).call("kv/txn", {}, 150));
    expect(outcome).toThrow(EngineUnanswered);
  }
});

test("a call was not carried out, if no member could be reached or each refused it", async () => {
  for (const address of [closedAddress(), member(failing(429, "etcdserver: too many requests")).address]) {
    const outcome = await outcomeOf(open([address]).call("kv/txn", {}, 150));
    expect(outcome).toThrow(EngineUnavailable);
    expect(outcome).not.toThrow(EngineUnanswered);
  }
});

test.each([
  ["etcdserver: permission denied", /grant the user's role readwrite/],
  ["etcdserver: mvcc: database space exceeded", /cluster status shows the commands that free space/],
  ["etcdserver: user name is empty", /put USER:PASSWORD@ into DATABASE_URL/],
])("a call is not repeated after %j, and names the remedy", async (message, advice) => {
  const only = member(failing(400, message));
  expect(await outcomeOf(open([only.address]).call("kv/txn", {}))).toThrow(advice);
  expect(only.paths).toHaveLength(1);
});

test("a call authenticates again when its token is refused", async () => {
  let tokens = 0;
  const only = member((path, request) => {
    if (path === "auth/authenticate") return Response.json({ token: `token ${++tokens}` });
    return request.headers.get("authorization") === "token 2"
      ? kind(path, request)
      : failing(401, "etcdserver: invalid auth token")(path, request);
  });
  const gateway = open([only.address], "store:word@");
  expect(await gateway.call<object>("kv/range", {})).toEqual({ kvs: [] });
  await gateway.call("kv/range", {});
  expect(tokens).toBe(2);
});

test("a stream reports each message, and ends with the gateway", async () => {
  const only = member(
    () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode("{}\n")),
        }),
      ),
  );
  const gateway = open([only.address]);
  let messages = 0;
  for await (const _ of gateway.stream("watch", {}, 60_000, new AbortController().signal)) {
    messages++;
    gateway.close();
  }
  expect(messages).toBe(1);
});

test("a stream ends when it is silent for too long", async () => {
  const only = member(silent);
  for await (const _ of open([only.address]).stream("watch", {}, 50, new AbortController().signal));
  expect(only.paths).toEqual(["watch"]);
});

test("the end of the log is read as it was written", () => {
  const head = { log: "log-1", position: 7, id: "seventh" };
  expect(parseHead(headText(head))).toEqual(head);
});

test("an end of the log that another program wrote is a fault of the engine", () => {
  for (const text of ["garbage{{", "", "null", "{}", "[]", '["log-1","7","seventh"]', '["log-1",1e300,"id"]'])
    expect(() => parseHead(text)).toThrow(EngineUnavailable);
});
