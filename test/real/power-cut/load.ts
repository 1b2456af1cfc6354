import { jpeg } from "../../support/images.ts";
import type { Server } from "../support.ts";
import { upload } from "../site.ts";

/** The state of one thing after each change, as text; undefined if it does not exist. Only one client changes it. */
interface History {
  states: (string | undefined)[];
  /** The number of acknowledgements, among all, with which each state was confirmed; Infinity until then. */
  marks: number[];
}

/** What the clients sent and were told. A key names an animal, its photo, an adoption, an API key or a site. */
export interface Ledger {
  histories: Map<string, History>;
  /** The ids of animals whose addition was acknowledged, by their keys. */
  ids: Map<string, number>;
}

/** A name of an animal or an adopter, or the text of a photo, with its key. */
export const nameOf = (key: string, version: string): string => `${key} ${version}`;
export const keyIn = (name: string): string => name.split(" ")[0] ?? "";
/** The name of everything that the server must refuse. */
const REFUSED = "refused";

/** The files of a version of a site. Some are equal in all versions. */
export const siteFiles = (version: string, count: number): Record<string, string> => ({
  "index.html": `<h1>${version}</h1>`,
  "shared.txt": "The same in each version.\n".repeat(1000),
  "large.txt": `${version}\n`.repeat(8000),
  ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`page-${at}.txt`, `${version} ${at}`])),
});
/** From 100 files on, a deploy syncs the file system instead of each file. */
export const filesOf = (version: string): number => (version.endsWith("0") ? 110 : 3);

/**
 * Clients of one store. Each waits for its response before it sends the next request.
 * @param acknowledge is called with a number, in ascending order, as soon as a response has arrived
 */
export const clients = (acknowledge: (mark: number) => void) => {
  const ledger: Ledger = { histories: new Map(), ids: new Map() };
  let marks = 0;
  const startOn = (server: Server, group: string) =>
    startLoad({
      server,
      group,
      ledger,
      acknowledge: () => {
        acknowledge(++marks);
        return marks;
      },
    });
  return { ledger, acknowledged: () => marks, startOn };
};

interface Load {
  server: Server;
  /** Tells the things of these clients from those of others. */
  group: string;
  ledger: Ledger;
  acknowledge(): number;
}

const startLoad = ({ server, group, ledger, acknowledge }: Load) => {
  const stopping = new AbortController();
  let isKilled = false;

  /** Sends one request that changes these things to these states. */
  const change = async (
    states: Record<string, string | undefined>,
    request: () => Promise<Response>,
    status: number,
  ): Promise<Response> => {
    const changed = Object.entries(states).map(([key, state]) => {
      const history = ledger.histories.get(key) ?? { states: [undefined], marks: [0] };
      ledger.histories.set(key, history);
      return { history, at: history.states.push(state) - 1 };
    });
    for (const { history, at } of changed) history.marks[at] = Infinity;
    const response = await request();
    if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`);
    const mark = acknowledge();
    for (const { history, at } of changed) history.marks[at] = mark;
    return response;
  };
  const send = (path: string, json?: object, method = "POST", headers: Record<string, string> = {}) =>
    server.call(path, {
      method,
      headers: { ...(json && { "content-type": "application/json" }), ...headers },
      ...(json && { body: JSON.stringify(json) }),
    });
  const expectRefusal = async (response: Promise<Response>, status: number) => {
    const refused = await response;
    if (refused.status !== status) throw new Error(`not refused: ${refused.status} ${await refused.text()}`);
    await refused.body?.cancel();
  };

  const add = async (key: string): Promise<string> => {
    const name = nameOf(key, "0");
    const added = await change(
      { [key]: `${name} available` },
      () =>
        send("/v1/pets", { name, categoryId: 3, status: "available" }, "POST", { "idempotency-key": key }),
      201,
    );
    const { id } = (await added.json()) as { id: number };
    ledger.ids.set(key, id);
    return `/v1/pets/${id}`;
  };

  const animals = async (client: string, round: number) => {
    const key = `animal-${client}-${round}`;
    const path = await add(key);
    for (let version = 1; version < 4; version++) {
      const name = nameOf(key, String(version));
      await change({ [key]: `${name} available` }, () => send(path, { name }, "PATCH"), 200);
    }
    await expectRefusal(send(path, { name: nameOf(key, REFUSED) }, "PATCH", { "if-match": '"other"' }), 412);
    if (round % 3 === 0) await change({ [key]: undefined }, () => send(path, undefined, "DELETE"), 204);
  };

  const orders = async (client: string, round: number) => {
    const pet = `adopted-${client}-${round}`;
    const order = `order-${client}-${round}`;
    const petId = Number((await add(pet)).split("/").at(-1));
    const name = nameOf(pet, "0");
    const placed = await change(
      { [pet]: `${name} pending`, [order]: "placed" },
      () => send("/v1/store/orders", { petId, adopter: { name: order, email: "ada@example.org" } }),
      201,
    );
    const { id } = (await placed.json()) as { id: number };
    const adopter = { name: REFUSED, email: "ada@example.org" };
    await expectRefusal(send("/v1/store/orders", { petId, adopter }), 409);
    await change({ [order]: "approved" }, () => send(`/v1/store/orders/${id}/approve`), 200);
    await change(
      { [pet]: `${name} sold`, [order]: "completed" },
      () => send(`/v1/store/orders/${id}/complete`),
      200,
    );
  };

  const photos = async (client: string, round: number) => {
    const pet = `pictured-${client}-${round}`;
    const photo = `photo-${client}-${round}`;
    const path = `${await add(pet)}/photos`;
    const body = await jpeg(40 + (round % 100), 30);
    const alt = nameOf(photo, "0");
    const upload = () =>
      server.call(`${path}?alt=${encodeURIComponent(alt)}`, {
        method: "POST",
        headers: { "content-type": "image/jpeg" },
        body,
      });
    const added = await change({ [photo]: alt }, upload, 201);
    const own = `${path}/${((await added.json()) as { id: number }).id}`;
    const next = nameOf(photo, "1");
    await change({ [photo]: next }, () => send(own, { alt: next }, "PATCH"), 200);
    if (round % 3 === 0) await change({ [photo]: undefined }, () => send(own, undefined, "DELETE"), 204);
  };

  const keys = async (client: string, round: number) => {
    const name = `key-${client}-${round}`;
    const body = { name, scopes: ["pets:read"] };
    const created = await change({ [name]: "valid" }, () => send("/platform/keys", body), 201);
    const { id } = (await created.json()) as { id: number };
    await change({ [name]: "revoked" }, () => send(`/platform/keys/${id}`, undefined, "DELETE"), 204);
  };

  const sites = async (client: string, round: number) => {
    const slug = `site-${client}`;
    if (round === 0) await server.send("/platform/projects", { slug, name: slug, plan: "pro" });
    const version = `version ${round}`;
    const files = siteFiles(version, filesOf(version));
    await change({ [slug]: version }, () => upload(server, slug, files), 201);
  };

  const repeat = async (client: string, act: (client: string, round: number) => Promise<void>) => {
    try {
      for (let round = 0; !stopping.signal.aborted; round++) await act(client, round);
    } catch (error) {
      if (!isKilled) throw error;
    }
  };
  const running = Promise.all(
    [animals, animals, animals, animals, orders, orders, photos, keys, sites, sites].map((act, client) =>
      repeat(`${group}${client}`, act),
    ),
  );
  return {
    /** Lets the clients run. @throws if a response was not the expected one */
    run: (ms: number) => Promise.race([Bun.sleep(ms), running]),
    stop() {
      stopping.abort();
      return running;
    },
    /** The clients end because the server was killed. */
    end() {
      isKilled = true;
      return running;
    },
  };
};
