import {
  type Call,
  type Service,
  type Settled,
  idOf,
  otherThan,
  readElsewhere,
  settle,
  write,
} from "./retrying.ts";

/** Animals that every client may order. */
interface Shelf {
  pets: number[];
}

interface Client extends Service {
  name: string;
  count: number;
  shelf: Shelf;
  /** Animals that no other client touches, and their newest ETags. */
  own: { id: number; etag: string }[];
}

/** How many animals clients race for at a time. */
const RACED_PETS = 4;
const REPLAYED_SHARE = 0.1;
const ADOPTER = { name: "Ada Byron", email: "ada@example.org" };

const nextKey = (client: Client): string => `${client.name}-${client.count++}`;

/** Sends the same request again, to another node: the response must be the same. */
const replay = async (client: Client, call: Call, first: Settled): Promise<void> => {
  if (Math.random() > REPLAYED_SHARE) return;
  const again = await settle(client, call, otherThan(client.urls, first.url));
  if (again.status !== first.status || again.text !== first.text)
    client.ledger.surprises.push(`${call.idempotencyKey}: ${first.text}, then ${again.status} ${again.text}`);
};

/** A POST that is carried out once, however often it is sent. */
const once = async (client: Client, path: string, key: string, expected: number[], body?: object) => {
  const call = { method: "POST", path, idempotencyKey: key, ...(body && { body }) };
  const settled = await write(client, call, expected);
  if (settled.status < 300) await replay(client, call, settled);
  return settled;
};

const add = async (client: Client): Promise<{ id: number; etag: string }> => {
  const key = nextKey(client);
  const pet = { name: key, status: "available" };
  const settled = await once(client, "/v1/pets", key, [201], { ...pet, categoryId: 1 });
  const id = idOf(settled);
  const { ledger } = client;
  const before = ledger.addedBy.get(key);
  if (before !== undefined || ledger.pets.has(id)) ledger.surprises.push(`${key}: id ${id} is given twice`);
  ledger.addedBy.set(key, id);
  ledger.pets.set(id, pet);
  await readElsewhere(
    client,
    settled,
    { method: "GET", path: `/v1/pets/${id}` },
    (status, { name }) => status === 200 && name === key,
  );
  return { id, etag: settled.etag };
};

const addOwn = async (client: Client): Promise<void> => void client.own.push(await add(client));

/**
 * A request that its client has given up may be carried out after the client's next change. `If-Match` then refuses it, and also
 * a repetition of a request that was carried out.
 */
const rename = async (client: Client): Promise<void> => {
  const pet = client.own.at(-1);
  if (!pet) return addOwn(client);
  const name = nextKey(client);
  const path = `/v1/pets/${pet.id}`;
  const call = { method: "PATCH", path, body: { name }, ifMatch: pet.etag };
  const settled = await write(client, call, [200, 412]);
  const isRepetition = settled.status === 412 && settled.unknown > 0;
  const { body, text, etag } = isRepetition ? await settle(client, { method: "GET", path }) : settled;
  if (body["name"] !== name) client.ledger.surprises.push(`${path} is ${text} instead of ${name}`);
  pet.etag = etag;
  client.ledger.pets.set(pet.id, { name, status: "available" });
  await readElsewhere(
    client,
    settled,
    { method: "GET", path },
    (status, read) => status === 200 && read["name"] === name,
  );
};

const remove = async (client: Client): Promise<void> => {
  const pet = client.own.pop();
  if (!pet) return addOwn(client);
  const path = `/v1/pets/${pet.id}`;
  const call = { method: "DELETE", path };
  const settled = await write(client, call, [204, 404]);
  if (settled.status === 404 && settled.unknown === 0)
    client.ledger.surprises.push(`${path} is missing, and no client deleted it`);
  client.ledger.pets.set(pet.id, null);
  await readElsewhere(client, settled, { method: "GET", path }, (status) => status === 404);
};

/** @returns the id of the order; undefined if another has the animal */
const order = async (client: Client, petId: number): Promise<number | undefined> => {
  const key = nextKey(client);
  const settled = await once(client, "/v1/store/orders", key, [201, 409], {
    petId,
    adopter: ADOPTER,
    note: key,
  });
  if (settled.status === 409) return void client.ledger.refusedPets.add(petId);
  const id = idOf(settled);
  client.ledger.orders.set(id, { petId, status: "placed", key });
  setStatus(client, petId, "pending");
  await readElsewhere(
    client,
    settled,
    { method: "GET", path: `/v1/store/orders/${id}` },
    (status) => status === 200,
  );
  return id;
};

const setStatus = ({ ledger }: Client, petId: number, status: string): void => {
  const pet = ledger.pets.get(petId);
  if (pet) ledger.pets.set(petId, { ...pet, status });
};

const step = async (client: Client, id: number, name: string, status: string): Promise<void> => {
  await once(client, `/v1/store/orders/${id}/${name}`, nextKey(client), [200]);
  const before = client.ledger.orders.get(id);
  if (before) client.ledger.orders.set(id, { ...before, status });
};

/** Orders an animal that others order too, and completes what it got. */
const race = async (client: Client): Promise<void> => {
  const { shelf } = client;
  if (shelf.pets.length < RACED_PETS || Math.random() < 0.2) shelf.pets.push((await add(client)).id);
  const petId = shelf.pets[Math.floor(Math.random() * shelf.pets.length)];
  if (petId === undefined) return;
  const id = await order(client, petId);
  if (id === undefined) return;
  shelf.pets = shelf.pets.filter((pet) => pet !== petId);
  await step(client, id, "approve", "approved");
  if (Math.random() < 0.5) return;
  await step(client, id, "complete", "completed");
  setStatus(client, petId, "sold");
};

/** Orders an animal that only this client orders, and cancels: the animal is available again. */
const orderAndCancel = async (client: Client): Promise<void> => {
  const { id: petId } = await add(client);
  const id = await order(client, petId);
  if (id === undefined)
    return void client.ledger.surprises.push(`animal ${petId} has an order that no client placed`);
  await step(client, id, "cancel", "cancelled");
  setStatus(client, petId, "available");
};

/** Creates an API key, and revokes it: no node takes it from then on. */
const createAndRevoke = async (client: Client): Promise<void> => {
  const name = nextKey(client);
  const body = { name, scopes: ["pets:read"] };
  const created = await write(client, { method: "POST", path: "/platform/keys", body }, [201]);
  const [id, secret] = [idOf(created), String(created.body["secret"])];
  const read = { method: "GET", path: "/v1/pets?limit=1", key: secret };
  client.ledger.keys.set(id, { name, isRevoked: false });
  await readElsewhere(client, created, read, (status) => status === 200);
  if (Math.random() < 0.5) return;
  const revoked = await write(client, { method: "DELETE", path: `/platform/keys/${id}` }, [204]);
  client.ledger.keys.set(id, { name, isRevoked: true });
  await readElsewhere(client, revoked, read, (status) => status === 401);
};

/** The operations of clients, and their relative frequency. */
const ACTS: readonly [number, (client: Client) => Promise<void>][] = [
  [5, addOwn],
  [4, rename],
  [2, remove],
  [4, race],
  [1, orderAndCancel],
  [1, createAndRevoke],
];
const WEIGHT = ACTS.reduce((sum, [weight]) => sum + weight, 0);

const pickAct = () => {
  let at = Math.random() * WEIGHT;
  return ACTS.find(([weight]) => (at -= weight) < 0)?.[1] ?? addOwn;
};

/** Clients that do one thing after the other, each through whichever node responds. */
export const startClients = (service: Service, count: number) => {
  const shelf: Shelf = { pets: [] };
  const over = new AbortController();
  const work = async (client: Client) => {
    while (!over.signal.aborted) await pickAct()(client);
  };
  const working = Promise.all(
    Array.from({ length: count }, (_, index) =>
      work({ ...service, name: `c${index}-${crypto.randomUUID().slice(0, 8)}`, count: 0, shelf, own: [] }),
    ),
  );
  return {
    /** Resolves when each has brought to its end what it was doing: there is no request whose outcome is unknown. */
    async end(): Promise<void> {
      over.abort();
      await working;
    },
  };
};
