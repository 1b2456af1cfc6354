import { ApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import type { Field, Photo, Profile } from "../client/store.ts";
import { jsonInteger } from "../lib/json.ts";
import { quantity } from "../lib/quantity.ts";
import { columnsFor, valueIn } from "../store/import-export/profile-columns.ts";
import { petStatusName } from "../store/pets/pet.ts";
import { command, group } from "./command.ts";
import { assertReadable } from "./file-arguments.ts";
import { readId, UsageError, valueOf } from "./input.ts";
import { progressLine, table } from "./print/output.ts";
import { dataOf, SERVER, withApi } from "./server-api.ts";

const PET_ID = { text: "id of the animal", parse: valueOf("id", readId, "the id of an animal, such as 7") };

/** @throws ApiError if the animal does not exist, or another program responds */
const findProfile = ({ store }: Client, petId: number): Promise<Profile> =>
  dataOf(store.GET("/pets/{petId}/profile", { params: { path: { petId } } }));

/** The name of a category; its id if it has no record. */
const categoryName = async ({ categories }: Client, id: number | bigint): Promise<string> => {
  try {
    return (await categories.get(id)).name;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return String(id);
    throw error;
  }
};

/** `goodWithDogs` as `Good with dogs`. */
const labelOf = (name: string): string =>
  name
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase());

type Fact = readonly [label: string, text: string];

const factsOf = (profile: Profile, fields: readonly Field[]): Fact[] => {
  const labels = new Map(fields.map(({ name, label }) => [`custom.${name}`, label]));
  return [...columnsFor(fields)].flatMap(([name, { into, write }]) => {
    const value = valueIn(profile, into);
    return value === undefined || !write ? [] : [[labels.get(name) ?? labelOf(name), write(value)]];
  });
};

const photoFact = ({ id, alt, sizes, original }: Photo, server: string): Fact => [
  `Photo ${id}`,
  [new URL(original ?? sizes.at(-1)?.url ?? "", server).href, alt].filter(Boolean).join("\n"),
];

/** Facts in two columns. Each line of a text has a row. */
const factsText = (facts: readonly Fact[]): string =>
  table(facts.flatMap(([label, text]) => text.split("\n").map((line, at) => [at === 0 ? label : "", line])));

const show = command({
  name: "show",
  description: "show an animal with its profile, its custom fields and the addresses of its photos",
  takes: { "<id>": PET_ID, ...SERVER, "--json": "print JSON" },
  hiddenSettings: ["baseUrl", "port"],
  notes: ["Like every API request, a photo's address needs the key."],
  examples: { "Show an animal": "7" },
  run: ({ id, ...input }) =>
    withApi(input, async (api, server) => {
      const client = api();
      const profile = await findProfile(client, id);
      const [pet, fields, photos] = await Promise.all([
        client.pets.get(id),
        client.fields.list(),
        client.photos.list(id),
      ]);
      const category = await categoryName(client, pet.categoryId);
      const facts: Fact[] = [
        ["Animal", String(id)],
        ["Name", pet.name],
        ["Category", category],
        ["Status", pet.status ? petStatusName(pet.status) : "-"],
        ...factsOf(profile, fields),
        ...photos.map((photo) => photoFact(photo, server)),
      ];
      const json = { ...pet, categoryId: jsonInteger(BigInt(pet.categoryId)), profile, photos };
      return { json, text: factsText(facts) };
    }),
});

/** The error with the name of the file, and with the number of photos that were added before it. */
const withPath = (error: unknown, path: string, added: number): unknown => {
  if (!(error instanceof ApiError)) return error;
  const before = added > 0 ? ` Added before it: ${quantity(added, "photo")}.` : "";
  return new ApiError(error.status, error.code, `${path}: ${error.message}${before}`, { cause: error.cause });
};

const addPhotos = command({
  name: "add",
  description:
    "add photos to an animal, after its existing photos: JPEG, PNG, WebP or the first frame of a GIF",
  takes: {
    "<id>": PET_ID,
    "<files...>": "photos of at most 25 MB; they are added in this order",
    "--alt <text>": "describe the photo for people who cannot see it",
    ...SERVER,
    "--json": "print the photos as JSON",
  },
  hiddenSettings: ["baseUrl", "port"],
  notes: [
    "The server cannot read HEIC, which iPhones make. Choose Settings > Camera > Formats > Most Compatible there.",
  ],
  examples: {
    "Add a photo with a description": '7 bella.jpg --alt "Bella sleeps on a sofa"',
    "Add the photos of an export": "7 photos/7/*",
  },
  async run({ id, files, alt, ...input }) {
    if (alt !== undefined && files.length > 1)
      throw new UsageError("--alt describes one photo: name one file, or leave it out");
    files.forEach(assertReadable);
    return withApi(input, async (api, server) => {
      using progress = progressLine();
      const client = api();
      await findProfile(client, id);
      const photos: Photo[] = [];
      for (const [at, path] of files.entries()) {
        progress.show(`Sending photo ${at + 1} of ${files.length}`, true);
        const options = { timeoutMs: 0, ...(alt !== undefined && { alt }) };
        const adding = client.photos.add(id, Bun.file(path), options);
        photos.push(await adding.catch((error: unknown) => Promise.reject(withPath(error, path, at))));
      }
      return { json: photos, text: factsText(photos.map((photo) => photoFact(photo, server))) };
    });
  },
});

export const petsCommand = group({
  name: "pets",
  description: "show an animal, and add photos to it",
  commands: [show, group({ name: "photo", description: "add photos to an animal", commands: [addPhotos] })],
});
