import { expect } from "bun:test";
import { type Server, real, serve, until } from "./support.ts";

const test = real();

const isReady = ({ url }: Pick<Server, "url">): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(500) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** A load balancer that checks its servers every 300 ms, and retries nothing. */
const balancer = (servers: readonly Server[]) => {
  let ready = [...servers];
  let next = 0;
  const check = async () => {
    const states = await Promise.all(servers.map(isReady));
    ready = servers.filter((_, at) => states[at]);
  };
  const timer = setInterval(() => void check(), 300);
  return {
    send: (): Promise<number> => {
      const server = ready[next++ % ready.length];
      return server
        ? server.add("Bella").then(
            ({ status }) => status,
            () => 0,
          )
        : Promise.resolve(0);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
};

test("a server with DRAIN_TIME that gets SIGTERM costs a load balancer no request", async () => {
  const [leaving, staying] = [
    await serve({ env: { DRAIN_TIME: "2s" } }),
    await serve({ env: { DRAIN_TIME: "2s" } }),
  ];
  using through = balancer([leaving, staying]);
  const statuses: number[] = [];
  const done = new AbortController();
  const clients = Array.from({ length: 8 }, async () => {
    while (!done.signal.aborted) statuses.push(await through.send());
  });
  await Bun.sleep(500);
  const start = performance.now();
  const stopping = leaving.stop();
  await until("not ready", async () => !(await isReady(leaving)), 1000);
  const { message } = (await (await fetch(`${leaving.url}/readyz`)).json()) as { message: string };
  expect(message).toContain("this server is about to stop");
  expect((await fetch(`${leaving.url}/livez`)).status).toBe(200);
  expect(await stopping).toBe(0);
  const took = performance.now() - start;
  await Bun.sleep(300);
  done.abort();
  await Promise.all(clients);
  const failed = statuses.filter((status) => status !== 201);
  console.log(
    `drain: ${failed.length} of ${statuses.length} requests failed; the stop took ${Math.round(took)} ms`,
  );
  expect(failed).toEqual([]);
  expect(took).toBeGreaterThan(2000);
});

test("a second signal ends a draining server immediately, and without DATABASE_URL and DRAIN_TIME a stop does not wait", async () => {
  const slow = await serve({ env: { DRAIN_TIME: "30s" } });
  void slow.stop();
  await until("not ready", async () => !(await isReady(slow)), 2000);
  process.kill(slow.pid, "SIGTERM");
  const start = performance.now();
  await slow.exited;
  expect(performance.now() - start).toBeLessThan(1000);
  const plain = await serve();
  const stop = performance.now();
  expect(await plain.stop()).toBe(0);
  expect(performance.now() - stop).toBeLessThan(1500);
});
