/** Counts which open writers need which blobs. A sweep keeps pinned blobs. */
export const blobPins = () => {
  const counts = new Map<string, number>();
  const owners = new Map<string, symbol>();
  const isOwnedBy = (hash: string, writer: symbol) => owners.get(hash) === writer;

  return {
    /** True if this writer stored the blob first, and no other writer has pinned it since. */
    isOwnedBy,
    isPinned: (hash: string) => counts.has(hash),
    /** @param exists true if the store had the blob before */
    pin(hash: string, writer: symbol, exists: boolean): void {
      const others = counts.get(hash) ?? 0;
      counts.set(hash, others + 1);
      if (others > 0) owners.delete(hash);
      else if (!exists) owners.set(hash, writer);
    },
    unpin(hash: string): void {
      const left = (counts.get(hash) ?? 1) - 1;
      if (left > 0) counts.set(hash, left);
      else counts.delete(hash);
    },
    disown(hash: string, writer: symbol): void {
      if (isOwnedBy(hash, writer)) owners.delete(hash);
    },
  };
};

export type BlobPins = ReturnType<typeof blobPins>;
