import type { Clock } from "../lib/time.ts";
import type { AcmeClient } from "../protocols/acme/client.ts";
import { certificateRequest, keyAuthorization } from "../protocols/acme/keys.ts";
import type { Order } from "../protocols/acme/objects.ts";
import { AcmeProblem, type Problem } from "../protocols/acme/problem.ts";
import type { Attempt } from "./attempt-repository.ts";
import type { PlacedOrder } from "./place-order.ts";
import type { Proof } from "./preflight.ts";
import { type PresenterOptions, Undecided, responsePresenter } from "./present.ts";

/** Takes an order from any state to its certificate chain. @throws AcmeProblem, Undecided */
export type CompleteOrder = (
  placed: PlacedOrder,
  attempt: Attempt,
  proof: Proof,
  signal?: AbortSignal,
) => Promise<string>;

/** Between polls of a CA. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5000;
/** After this long the attempt ends; the next one continues the order. */
const PATIENCE_MS = 120_000;

/** The order's own problem, or that of the authorization that failed. */
const refusalOf = (status: string, error: Problem | undefined): AcmeProblem =>
  new AcmeProblem(
    error ?? { type: "order_invalid", detail: `The order became ${status}, and the CA gave no reason.` },
  );

/** Types of refusals after which the CA may still reach the name with the other method. */
const RETRIABLE: ReadonlySet<string> = new Set(["connection", "incorrectResponse", "tls", "unauthorized"]);

/** The refusal of a challenge. With `dns-01` the CA does not connect to the name, so no other method helps. */
const challengeRefusal = (status: string, error: Problem | undefined, { method }: Proof): AcmeProblem =>
  refusalOf(status, error && method !== "dns-01" && RETRIABLE.has(error.type) ? { ...error, method } : error);

/** Polls until the CA has decided. @throws Undecided after `PATIENCE_MS` */
const polling =
  (clock: Clock, sleep: (ms: number) => Promise<void>) =>
  async <Value extends { retryAfterMs?: number }>(
    read: () => Promise<Value>,
    isDecided: (value: Value) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<Value> => {
    const end = clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const value = await read();
      if (isDecided(value)) return value;
      const pause = Math.max(wait, value.retryAfterMs ?? 0);
      if (clock.now() + pause > end) throw new Undecided("The CA has not decided yet.");
      await sleep(pause);
      if (signal?.aborted) throw new Undecided("This process has stopped.");
    }
  };

interface CompleterOptions extends PresenterOptions {
  clientOf(ca: string): AcmeClient;
  /** The names in the certificate of a name. */
  namesOf(hostname: string): readonly string[];
  clock: Clock;
  sleep(ms: number): Promise<void>;
}

export const orderCompleter = (options: CompleterOptions): CompleteOrder => {
  const { clientOf, namesOf, clock, sleep } = options;
  const poll = polling(clock, sleep);
  const present = responsePresenter(options);

  return async ({ account, pending, order: placed }, attempt, proof, signal) => {
    const client = clientOf(pending.ca);
    const reread = () => client.readOrder(account, placed.url);

    /** Responds to the CA's challenge for one name, and waits until the CA has validated it. */
    const authorize = async (url: string) => {
      const authorization = await client.authorization(account, url);
      if (authorization.status === "valid") return;
      const challenge = authorization.challenges.find(({ type }) => type === proof.method);
      const detail = `The CA offers no ${proof.method} challenge.`;
      if (!challenge) throw new AcmeProblem({ type: "no_challenge", detail });
      const response = {
        token: challenge.token,
        keyAuthorization: keyAuthorization(challenge.token, account.key),
      };
      await present(attempt, proof, response, async () => {
        if (challenge.status === "pending") await client.respond(account, challenge.url);
        const decided = await poll(
          () => client.authorization(account, url),
          // Some CAs leave a failed challenge pending, with its error, so that it can be retried.
          (read) => read.status !== "pending" || read.challenges.some((one) => one.error),
          signal,
        );
        if (decided.status !== "valid")
          throw challengeRefusal(decided.status, decided.challenges.find(({ error }) => error)?.error, proof);
      });
    };

    let order: Order = placed;
    if (order.status === "pending") {
      for (const url of order.authorizations) await authorize(url);
      order = await poll(reread, ({ status }) => status !== "pending", signal);
    }
    if (order.status === "ready")
      order = await client.finalize(
        account,
        order,
        await certificateRequest(pending.key, namesOf(attempt.hostname)),
      );
    if (order.status === "processing" || order.status === "ready")
      order = await poll(reread, ({ status }) => status !== "processing" && status !== "ready", signal);
    if (order.status !== "valid" || order.certificate === undefined)
      throw refusalOf(order.status, order.error);
    return client.certificate(account, order.certificate);
  };
};
