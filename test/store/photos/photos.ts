import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Call, type Store, addPet } from "../../support/store.ts";

export interface PhotoBody {
  id: number;
  alt: string;
  width: number;
  height: number;
  placeholder: string;
  position: number;
  createdAt: string;
  sizes: { width: number; height: number; url: string }[];
  preview: string;
  original?: string;
}

export const PHOTOS = "/v1/pets/1/photos";

/** A store with one animal, Bella. */
export const withBella = async (store: Store): Promise<Store> => {
  await addPet(store, { name: "Bella" });
  return store;
};

export const sendPhoto = (
  store: Store,
  body: Call["body"],
  { path = PHOTOS, headers = {}, ...call }: Omit<Call, "body"> & { path?: string } = {},
): Promise<Response> =>
  store.call("POST", path, {
    ...call,
    body,
    headers: { "content-type": "application/octet-stream", ...headers },
  });

/** Adds a photo. @throws Error with the response's text if it is refused */
export const addPhoto = async (
  store: Store,
  ...sent: Parameters<typeof sendPhoto> extends [Store, ...infer Rest] ? Rest : never
) => {
  const response = await sendPhoto(store, ...sent);
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as PhotoBody;
};

export const listPhotos = async (store: Store, path = PHOTOS): Promise<PhotoBody[]> =>
  (await (await store.call("GET", path)).json()) as PhotoBody[];

/** The names of all files of the blob store. */
export const blobsOf = ({ config }: Store): string[] => {
  const root = join(config.dataDir, "blobs");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replace("/", ""),
    );
};
