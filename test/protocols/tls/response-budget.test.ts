import { peek } from "bun";
import { expect, test } from "bun:test";
import { type ClientRequests, responseBudget } from "../../../src/protocols/tls/response-budget.ts";

const newClient = (): ClientRequests => ({ open: 0, waiting: new Set(), refused: 0 });

const budgetOf = (responses: number, responsesPerClient: number) => {
  const budget = responseBudget({ responses, responsesPerClient, stallMs: 1000 });
  /** Counts a request, and requests its response. */
  const request = (client: ClientRequests, signal = new AbortController().signal) => {
    budget.count(client, 1);
    return budget.wait(client, { signal });
  };
  return {
    budget,
    request,
    /** A client's requests until one is refused. The refusal ends. */
    requestAll(client: ClientRequests) {
      for (;;) if (peek(request(client)) === false) return budget.count(client, -1);
    },
  };
};

test("the budget of responses admits requests up to the client's limit, and another one after a response has ended", async () => {
  const { budget, request } = budgetOf(100, 3);
  const client = newClient();
  for (let count = 0; count < 3; count++) expect(request(client)).toBeUndefined();
  const turn = request(client);
  expect(budget.used).toBe(3);
  budget.count(client, -1);
  expect(await turn).toBe(true);
  expect(budget.used).toBe(3);
});

test("the budget of responses admits a client with few responses while another uses the whole limit", () => {
  const { budget, request } = budgetOf(1024, 1024);
  const greedy = newClient();
  for (let count = 0; count < 1024; count++) expect(request(greedy)).toBeUndefined();
  const modest = newClient();
  for (let count = 0; count < 15; count++) expect(request(modest)).toBeUndefined();
  expect(request(modest)).toBeInstanceOf(Promise);
  expect(request(greedy)).toBeInstanceOf(Promise);
  expect(budget.used).toBe(1039);
});

test.each([256, 5000])(
  "the budget of responses never exceeds twice the limit, even with %i greedy clients",
  (clients) => {
    const { budget, requestAll } = budgetOf(1024, 256);
    for (let count = 0; count < clients; count++) {
      requestAll(newClient());
      expect(budget.used).toBeLessThanOrEqual(2048);
    }
  },
);

test("the budget of responses admits another client while all 256 clients of an IPv6 /56 request as much as they can", () => {
  const { budget, request, requestAll } = budgetOf(1024, 256);
  for (let count = 0; count < 256; count++) requestAll(newClient());
  expect(budget.used).toBeGreaterThan(1024);
  expect(request(newClient())).toBeUndefined();
});

test("the budget of responses lets a client with few requests wait while others use the whole limit of waiting requests", async () => {
  const { budget, request, requestAll } = budgetOf(128, 64);
  const greedy = [newClient(), newClient(), newClient()];
  for (const client of greedy) requestAll(client);
  const modest = newClient();
  expect(request(modest)).toBeUndefined();
  const turn = request(modest);
  budget.count(modest, -1);
  expect(await turn).toBe(true);
});

test("the budget of responses admits a waiting request when another client's response has ended", async () => {
  const { budget, request } = budgetOf(4, 4);
  const [one, other] = [newClient(), newClient()];
  for (let count = 0; count < 2; count++) void request(one);
  for (let count = 0; count < 2; count++) void request(other);
  const turn = request(one);
  budget.count(other, -1);
  expect(await turn).toBe(true);
});

test("the budget of responses counts a client's requests beyond its limit against no other client", () => {
  const { budget, request } = budgetOf(4, 2);
  const greedy = newClient();
  for (let count = 0; count < 1000; count++) budget.count(greedy, 1);
  expect(budget.used).toBe(2);
  const modest = newClient();
  for (let count = 0; count < 2; count++) expect(request(modest)).toBeUndefined();
});

test("the budget of responses admits, queues and refuses the requests of a large burst", () => {
  const { budget } = budgetOf(1024, 256);
  const client = newClient();
  for (let count = 0; count < 600; count++) budget.count(client, 1);
  const turns = Array.from({ length: 600 }, () => {
    const turn = budget.wait(client, { signal: new AbortController().signal });
    return turn && (peek(turn) === false ? "refused" : "queued");
  });
  const countOf = (outcome: string | undefined) => turns.filter((turn) => turn === outcome).length;
  expect([countOf(undefined), countOf("queued"), countOf("refused")]).toEqual([256, 256, 88]);
  for (let count = 0; count < 88; count++) budget.count(client, -1);
  expect([budget.used, client.refused]).toEqual([256, 0]);
});

test("the budget of responses admits no other request for a waiting one whose stream is reset", async () => {
  const { budget, request } = budgetOf(100, 2);
  const client = newClient();
  for (let count = 0; count < 2; count++) void request(client);
  const oldest = request(client)!;
  const cancel = new AbortController();
  void request(client, cancel.signal);
  budget.count(client, -1);
  cancel.abort();
  await Bun.sleep(50);
  expect([budget.used, peek.status(oldest)]).toEqual([2, "pending"]);
});

test("the budget of responses admits requests of a batch, although all are counted before the first is handled", () => {
  const { budget } = budgetOf(100, 2);
  const client = newClient();
  for (let count = 0; count < 4; count++) budget.count(client, 1);
  const turns = Array.from({ length: 4 }, () =>
    budget.wait(client, { signal: new AbortController().signal }),
  );
  expect(turns.filter((turn) => turn === undefined)).toHaveLength(2);
  expect(budget.used).toBe(2);
});

test("the budget of responses refuses a request if as many wait as may be in progress", async () => {
  const { request } = budgetOf(100, 2);
  const client = newClient();
  for (let count = 0; count < 4; count++) void request(client);
  expect(await request(client)).toBe(false);
});

test("the budget of responses refuses a request that has waited for the time limit", async () => {
  const { budget, request } = budgetOf(100, 1);
  const client = newClient();
  void request(client);
  const turn = request(client)!;
  budget.sweep(performance.now() + 500);
  expect(client.waiting.size).toBe(1);
  budget.sweep(performance.now() + 1500);
  expect(await turn).toBe(false);
});

test.each(["before", "after"])(
  "the budget of responses forgets a waiting request that is canceled %s its stream is reset",
  async (order) => {
    const { budget, request } = budgetOf(100, 1);
    const client = newClient();
    void request(client);
    const cancel = new AbortController();
    const turn = request(client, cancel.signal);
    if (order === "before") cancel.abort();
    budget.count(client, -1);
    cancel.abort();
    expect(await turn).toBe(false);
    expect([budget.used, client.waiting.size]).toEqual([1, 0]);
  },
);
