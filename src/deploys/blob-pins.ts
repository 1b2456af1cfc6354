/** Which open writers want which blobs: those no sweep removes. */
export interface BlobPins {
  /** Holds a blob for one writer more; `isThere` says whether it was in the store before. */
  pin(hash: string, writer: symbol, isThere: boolean): void;
  unpin(hash: string): void;
  isPinned(hash: string): boolean;
  /** True if this writer brought the blob, and no other has wanted it since. */
  isOwnedBy(hash: string, writer: symbol): boolean;
  /** Forgets who brought it, if it was this writer. */
  disown(hash: string, writer: symbol): void;
}

export const blobPins = (): BlobPins => {
  const counts = new Map<string, number>();
  const owners = new Map<string, symbol>();
  const isOwn = (hash: string, writer: symbol) => owners.get(hash) === writer;

  return {
    isOwnedBy: isOwn,
    isPinned: (hash) => counts.has(hash),
    pin(hash, writer, isThere) {
      const others = counts.get(hash) ?? 0;
      counts.set(hash, others + 1);
      if (others > 0) owners.delete(hash);
      else if (!isThere) owners.set(hash, writer);
    },
    unpin(hash) {
      const left = (counts.get(hash) ?? 1) - 1;
      if (left > 0) counts.set(hash, left);
      else counts.delete(hash);
    },
    disown(hash, writer) {
      if (isOwn(hash, writer)) owners.delete(hash);
    },
  };
};
