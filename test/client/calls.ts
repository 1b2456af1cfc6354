// `bun run check` checks that this compiles, and test/real/client.real.ts that it does with the declarations of the package.
// Each directive holds only if the line below it is refused.
import { ApiError, createClient, type Pet, type PetEvent } from "../../src/client/index.ts";

export const calls = async (archive: Blob): Promise<unknown[]> => {
  const client = createClient({ baseUrl: "http://localhost", apiKey: "key" });
  for await (const pet of client.pets.iterate({ status: "available", categoryId: 9223372036854775807n })) {
    const id: number = pet.id;
    const categoryId: number | bigint = pet.categoryId;
    await client.pets.update(id, { categoryId, status: null });
  }
  const bella: Pet = await client.pets.add({ name: "Bella", categoryId: 3 });
  // @ts-expect-error It may be a bigint.
  const rounded: number = bella.categoryId;
  // @ts-expect-error There is no such status.
  await client.pets.list({ status: "lost" });

  const { id: photoId } = await client.photos.add(bella.id, archive, { alt: "On a sofa" });
  await client.photos.update(bella.id, photoId, { position: 0 });
  // @ts-expect-error The photo is a file.
  await client.photos.add(bella.id, "photo.jpg");

  const params = { path: { slug: "docs" } };
  const { data: project } = await client.platform.GET("/platform/projects/{slug}", { params });
  const slug: string = project.slug;
  const deploy = await client.platform.POST("/platform/projects/{slug}/deploys", { params, body: archive });
  const deleted = await client.platform.DELETE("/platform/projects/{slug}", { params });
  const none: undefined = deleted.data;
  // @ts-expect-error There is no such path.
  await client.store.GET("/animals");
  // @ts-expect-error This path has no such method.
  await client.store.PUT("/pets", {});
  // @ts-expect-error The path has a parameter.
  await client.store.DELETE("/pets/{petId}");
  // @ts-expect-error The operation needs a body.
  await client.store.POST("/pets");

  const petOf = (event: PetEvent): Pet | number | undefined => {
    if (event.type === "reset") return undefined;
    return event.type === "deleted" ? event.petId : event.pet;
  };
  const partsOf = (event: PetEvent): readonly ("profile" | "photos")[] =>
    event.type === "changed" ? (event.changed ?? []) : [];
  const secondsOf = (error: unknown) => (error instanceof ApiError ? error.retryAfter : undefined);
  return [rounded, slug, deploy.data.id, none, petOf, partsOf, secondsOf];
};
