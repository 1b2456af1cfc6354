import { type Ledger, filesOf, keyIn, nameOf, siteFiles } from "./load.ts";

/** Requests to a store that was opened after a power cut. */
export interface Asker {
  call(
    path: string,
    init?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response>;
  /** Requests a path of a project's site. */
  visit(slug: string, path: string): Promise<Response>;
}

interface Named {
  id: number;
  name: string;
}

interface StoredPhoto {
  alt: string;
  sizes: { url: string }[];
  preview: string;
}

/** Every item of a list, by following its Link headers. */
const everything = async <Item>({ call }: Asker, first: string): Promise<Item[]> => {
  const items: Item[] = [];
  for (let path: string | undefined = first; path;) {
    const response = await call(path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    items.push(...((await response.json()) as Item[]));
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return items;
};

/** The version of a site that is served. @throws if its files are not those of one version */
const versionOf = async ({ visit }: Asker, slug: string): Promise<string | undefined> => {
  const index = await visit(slug, "/");
  const text = await index.text();
  if (index.status === 404 || index.status === 421) return undefined;
  const version = /<h1>(.*)<\/h1>/.exec(text)?.[1];
  if (version === undefined) throw new Error(`${slug}: ${index.status} ${text.slice(0, 200)}`);
  for (const [name, content] of Object.entries(siteFiles(version, filesOf(version)))) {
    if (name === "index.html") continue;
    const response = await visit(slug, `/${name}`);
    if ((await response.text()) !== content) throw new Error(`${slug}: ${version} has another ${name}`);
  }
  return version;
};

/** @throws if a file of the photo is missing, or not what its address names */
const assertPhoto = async ({ call }: Asker, { alt, sizes, preview }: StoredPhoto): Promise<void> => {
  for (const url of [...sizes.map((size) => size.url), preview]) {
    const response = await call(url);
    const hash = Bun.SHA256.hash(await response.bytes(), "hex");
    if (response.headers.get("etag") !== `"${hash}"`) throw new Error(`${alt}: ${response.status} at ${url}`);
  }
};

/** Reads all states that the clients changed. */
const statesIn = async (asker: Asker, { histories }: Ledger) => {
  const states = new Map<string, string>();
  const ids = new Map<string, number>();
  const set = (key: string, state: string) => {
    if (states.has(key)) throw new Error(`twice: ${key}`);
    states.set(key, state);
  };
  const pets = await everything<Named & { status: string; photos: StoredPhoto[] }>(
    asker,
    "/v1/pets?limit=100&include=photos",
  );
  for (const { id, name, status, photos } of pets) {
    for (const photo of photos) {
      set(keyIn(photo.alt), photo.alt);
      await assertPhoto(asker, photo);
    }
    set(keyIn(name), `${name} ${status}`);
    ids.set(keyIn(name), id);
  }
  const orders = await everything<{ status: string; petId: number; adopter: Named }>(
    asker,
    "/v1/store/orders?limit=100",
  );
  const petStatus = { placed: "pending", approved: "pending", completed: "sold" } as Record<string, string>;
  const statuses = new Map(pets.map(({ id, status }) => [id, status]));
  for (const { adopter, petId, status } of orders) {
    set(adopter.name, status);
    if (statuses.get(petId) !== petStatus[status])
      throw new Error(`${adopter.name} is ${status}, and its animal ${statuses.get(petId)}`);
  }
  const keys = await everything<Named & { revokedAt?: string }>(asker, "/platform/keys?limit=100");
  for (const { name, revokedAt } of keys)
    if (histories.has(name)) set(name, revokedAt === undefined ? "valid" : "revoked");
  for (const slug of histories.keys())
    if (slug.startsWith("site-")) {
      const version = await versionOf(asker, slug);
      if (version !== undefined) set(slug, version);
    }
  return { states, ids };
};

/** A request that is repeated with its key gets its first response, and has no second effect. */
const repeat = async ({ call }: Asker, key: string, id: number): Promise<string[]> => {
  const response = await call("/v1/pets", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ name: nameOf(key, "0"), categoryId: 3, status: "available" }),
  });
  const body = (await response.json()) as Named;
  return response.status === 201 && body.id === id
    ? []
    : [`${key}, sent again: ${response.status} ${body.id}`];
};

/** Compares a store with the ledger. @param marks how many changes were acknowledged @returns what is wrong */
export const problemsIn = async (asker: Asker, ledger: Ledger, marks: number): Promise<string[]> => {
  const problems: string[] = [];
  try {
    const { states, ids } = await statesIn(asker, ledger);
    let newest: string | undefined;
    for (const [key, history] of ledger.histories) {
      const confirmed = history.marks.findLastIndex((mark) => mark <= marks);
      const state = states.get(key);
      if (!history.states.slice(confirmed).includes(state))
        problems.push(`${key} is ${state}; confirmed: ${history.states[confirmed]}`);
      const id = ids.get(key);
      if (id !== undefined && (ledger.ids.get(key) ?? id) !== id) problems.push(`${key} has the id ${id}`);
      if (ledger.ids.has(key) && (history.marks[1] ?? Infinity) <= marks) newest = key;
    }
    for (const key of states.keys()) if (!ledger.histories.has(key)) problems.push(`${key} was refused`);
    if (newest !== undefined) problems.push(...(await repeat(asker, newest, ledger.ids.get(newest) ?? 0)));
  } catch (error) {
    problems.push(String(error));
  }
  return problems;
};
