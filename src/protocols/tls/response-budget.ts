export const RESPONSE_LIMITS = {
  /** Responses over HTTP/2 that are in progress, of all clients, without the reserve. */
  responses: 1024,
  /** From one IPv4 address, or one /64 of IPv6. */
  responsesPerClient: 256,
  /** How long a client may leave a response unread, and how long a request may wait for earlier responses, in milliseconds. */
  stallMs: 30_000,
};

interface Waiter {
  since: number;
  resolve(mayRespond: boolean): void;
}

/** The requests of a client over HTTP/2. */
export interface ClientRequests {
  /** Those without a complete response, including the waiting ones. */
  open: number;
  /** Those that wait for earlier responses to end, oldest first. */
  waiting: Set<Waiter>;
  /** Those that got 503, until as many responses have ended. */
  refused: number;
}

/** The share of the free reserve for one client. The 256 clients of an IPv6 /56 cannot exhaust the reserve. */
const RESERVE_SHARE = 1 / 64;
/** The request of a reset stream ends a moment after the stream. Until then, the client seems to have fewer responses. */
const ADMIT_MS = 10;

/** The limit of responses in progress: those within the limit of all clients, and an equal reserve for clients with few responses. */
export const withReserve = (limit: number): number => 2 * limit;

/** True if a client may have `own` of `total`: beyond the limit it may only have a share of the free reserve, and at least one. */
const isWithin = (limit: number, total: number, own: number): boolean => {
  const free = withReserve(limit) - total;
  return total <= limit || (free >= 0 && own <= Math.max(1, free * RESERVE_SHARE));
};

/** The responses of a client in progress, and its requests that are not decided yet. */
const responsesOf = ({ open, waiting, refused }: ClientRequests): number => open - waiting.size - refused;

export type ResponseBudget = ReturnType<typeof responseBudget>;

/**
 * Limits the responses in progress: each may hold an open file and a buffer for as long as its client does not read. A request
 * beyond the limits waits until earlier responses have ended. A reserve serves clients with few responses while others use the
 * limit of all.
 */
export const responseBudget = ({ responses, responsesPerClient, stallMs }: typeof RESPONSE_LIMITS) => {
  const queued = new Set<ClientRequests>();
  let used = 0;
  let waiting = 0;
  let isAdmitting = false;

  /** Undecided requests beyond a client's limit do not count: they cannot all begin. */
  const shareOf = (client: ClientRequests): number => Math.min(responsesOf(client), responsesPerClient);
  /** Changes the requests of a client. */
  const update = (client: ClientRequests, change: () => void): void => {
    used -= shareOf(client);
    change();
    used += shareOf(client);
  };
  /** True if a client may have `more` responses in progress. */
  const hasRoom = (client: ClientRequests, more: 0 | 1): boolean => {
    const own = responsesOf(client) + more;
    return own <= responsesPerClient && isWithin(responses, used + more, own);
  };
  const settle = (client: ClientRequests, waiter: Waiter, outcome: "admitted" | "refused" | "canceled") => {
    if (!client.waiting.has(waiter)) return;
    update(client, () => {
      client.waiting.delete(waiter);
      if (outcome === "refused") client.refused += 1;
    });
    waiting -= 1;
    if (client.waiting.size === 0) queued.delete(client);
    waiter.resolve(outcome === "admitted");
  };
  const admitWaiting = () => {
    isAdmitting = false;
    for (const client of queued)
      for (const waiter of client.waiting) {
        if (!hasRoom(client, 1)) break;
        settle(client, waiter, "admitted");
      }
  };
  const admitSoon = () => {
    if (isAdmitting) return;
    isAdmitting = true;
    setTimeout(admitWaiting, ADMIT_MS).unref();
  };
  const wait = (client: ClientRequests, signal: AbortSignal): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = { since: performance.now(), resolve };
    update(client, () => client.waiting.add(waiter));
    queued.add(client);
    waiting += 1;
    signal.addEventListener("abort", () => settle(client, waiter, "canceled"));
    return promise;
  };

  return {
    /** Counts a request, or the end of its response. */
    count(client: ClientRequests, change: 1 | -1): void {
      update(client, () => {
        client.open += change;
        if (change < 0 && client.refused > 0) client.refused -= 1;
      });
      if (change < 0 && queued.size > 0) admitSoon();
    },
    /**
     * Requests permission to respond to a counted request. Undefined if the response may begin now; otherwise resolves with true
     * when it may, or with false if there are too many.
     */
    wait(client: ClientRequests, { signal }: Pick<Request, "signal">): Promise<boolean> | undefined {
      if (hasRoom(client, 0)) return undefined;
      if (signal.aborted) return Promise.resolve(false);
      const own = client.waiting.size + 1;
      const mayWait = own <= responsesPerClient && isWithin(responses, waiting + 1, own);
      if (mayWait) return wait(client, signal);
      update(client, () => (client.refused += 1));
      return Promise.resolve(false);
    },
    /** Refuses requests that have waited too long. */
    sweep(now: number): void {
      for (const client of queued)
        for (const waiter of client.waiting) {
          if (now - waiter.since < stallMs) break;
          settle(client, waiter, "refused");
        }
    },
    /** Responses in progress. */
    get used(): number {
      return used;
    },
  };
};
