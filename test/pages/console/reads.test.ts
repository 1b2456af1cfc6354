import { beforeEach, expect, test } from "bun:test";
import { InfiniteQueryObserver, QueryClient, QueryObserver } from "@tanstack/query-core";
import { finishWrite, isAuthWrite, onWrite } from "../../../src/pages/console/ui/api/client.ts";
import { outcomeOf } from "../../support/outcome.ts";
import type { Page } from "../../../src/client/pages.ts";
import { type Pages, itemsOf, recordsOf } from "../../../src/pages/console/ui/parts/records.ts";
import { readOnce, readsDone, reread, restartReads } from "../../../src/pages/console/ui/parts/reads.ts";

test.each([
  ["GET", "sessions", false],
  ["POST", "invitation", false],
  ["POST", "invitation/accept", true],
  ["DELETE", "sessions", true],
])("%s of console/auth/%s counts as a write: %p", (method, path, isWrite) => {
  expect(isAuthWrite(method, path)).toBe(isWrite);
});

/** A server whose responses are held. Each is the state at the time of its request. */
const slowServer = () => {
  const held: (() => void)[] = [];
  const server = {
    state: "placed",
    requests: () => held.length,
    read: (): Promise<string> => {
      const { state } = server;
      return new Promise((resolve) => held.push(() => resolve(state)));
    },
    /** Sends the response to a request. */
    async respond(at: number) {
      held[at]!();
      await Bun.sleep(0);
    },
  };
  return server;
};

const LIST = ["list"];

interface Row {
  id: number;
  status: string;
}

const open = (staleTime = Infinity) => {
  const queries = new QueryClient();
  const server = slowServer();
  onWrite(() => restartReads(queries));
  const observer = new QueryObserver(queries, { queryKey: LIST, queryFn: server.read, staleTime });
  const close = observer.subscribe(() => {});
  const write = (state: string) => {
    server.state = state;
    finishWrite();
    queries.setQueryData<string>(LIST, (before) => before && state);
  };
  return { queries, server, write, shown: () => queries.getQueryData<string>(LIST), close };
};

beforeEach(() => onWrite(() => {}));

test("the first read of a list that began before a write does not show the previous state", async () => {
  const { server, write, shown } = open();
  write("approved");
  expect(server.requests()).toBe(2);
  await server.respond(0);
  expect(shown()).toBeUndefined();
  await server.respond(1);
  expect(shown()).toBe("approved");
});

test("a later read of a list that began before a write does not replace the patched row", async () => {
  const { queries, server, write, shown } = open();
  await server.respond(0);
  void reread(queries, LIST);
  write("approved");
  await server.respond(1);
  expect(shown()).toBe("approved");
  await server.respond(2);
  expect(shown()).toBe("approved");
});

test("a next page that was requested before a change is requested again, and does not replace the changed rows", async () => {
  const queries = new QueryClient();
  const server = slowServer();
  const observer = new InfiniteQueryObserver<Page<Row>, Error, Pages<Row>, string[], number>(queries, {
    queryKey: LIST,
    queryFn: async ({ pageParam: id }) => ({ items: [{ id, status: await server.read() }], next: undefined }),
    initialPageParam: 1,
    getNextPageParam: (_, __, last) => last + 1,
  });
  observer.subscribe(() => {});
  await server.respond(0);
  void observer.fetchNextPage();
  server.state = "approved";
  recordsOf<Row>(LIST, ["one"]).show(queries, new Map([[1, { id: 1, status: "approved" }]]));
  await server.respond(1);
  await server.respond(2);
  expect(itemsOf(observer.getCurrentResult().data).map(({ id, status }) => [id, status])).toEqual([
    [1, "approved"],
    [2, "approved"],
  ]);
});

test("a change elsewhere restarts the first read of a list", async () => {
  const { queries, server, shown } = open();
  server.state = "cancelled";
  void reread(queries, LIST);
  expect(server.requests()).toBe(2);
  await server.respond(0);
  await server.respond(1);
  expect(shown()).toBe("cancelled");
});

test("an idle list is not requested after a write", async () => {
  const { server, write, shown } = open();
  await server.respond(0);
  write("approved");
  expect([server.requests(), shown()]).toEqual([1, "approved"]);
});

test("a change by other users waits for reads of the same data only", async () => {
  const { queries, server } = open();
  void queries.prefetchQuery({ queryKey: ["other"], queryFn: () => new Promise(() => {}) });
  let isDone = false;
  const done = readsDone(queries, [["animal"], LIST]).then(() => (isDone = true));
  await Bun.sleep(0);
  expect(isDone).toBe(false);
  await server.respond(0);
  await done;
  await readsDone(queries, [LIST]);
});

test("a read for its result is restarted by each write that finishes during it, and is not kept", async () => {
  const { queries, server, write } = open();
  const read = readOnce(queries, server.read);
  write("approved");
  await server.respond(1);
  write("completed");
  await server.respond(3);
  await server.respond(server.requests() - 1);
  expect(await read).toBe("completed");
  await Bun.sleep(1);
  expect(queries.getQueryCache().getAll()).toHaveLength(1);
});

test("a read for its result that fails throws its error", async () => {
  const { queries } = open();
  const error = new Error("The server did not respond.");
  expect(await outcomeOf(readOnce(queries, () => Promise.reject(error)))).toThrow(error.message);
});

test("waiting for reads restarts one that never ends", async () => {
  const { queries, server, shown } = open();
  await readsDone(queries, [LIST], 20);
  expect(server.requests()).toBe(2);
  await server.respond(1);
  expect(shown()).toBe("placed");
});
