import { Fault } from "../lib/errors.ts";
import type { Warning } from "../http/health.ts";
import type { Logger } from "../lib/log.ts";

/** A file of a deploy is missing or has other content than was stored, and is not served. */
export class BlobDamaged extends Fault {
  constructor(readonly hash: string) {
    super("damaged_file");
  }
}

interface DamageEvents {
  onFound(hash: string, problem: string): void;
  onRepaired(hash: string): void;
}

/** Logs each damaged file once, and once more when it is whole again. */
export const damageLog = (log: Pick<Logger, "error" | "info">): DamageEvents => ({
  onFound: (hash, problem) =>
    log.error({ blob: hash, problem }, "a file of a deployed site is damaged: deploy the site again"),
  onRepaired: (hash) => log.info({ blob: hash }, "a damaged file of a deployed site is whole again"),
});

/** Remembers which blobs are known to be missing or damaged. */
export const damagedBlobs = (events?: DamageEvents) => {
  const hashes = new Set<string>();
  return {
    /** What is wrong with a blob that is known to be damaged. */
    problemOf: (hash: string): string | undefined =>
      hashes.has(hash) ? "is known to be damaged" : undefined,
    /** Adds a damaged blob, and reports it the first time. @returns the error to throw instead of serving the blob */
    add(hash: string, problem: string): BlobDamaged {
      if (!hashes.has(hash)) events?.onFound(hash, problem);
      hashes.add(hash);
      return new BlobDamaged(hash);
    },
    /** Removes a blob that is whole again, and reports it. */
    remove(hash: string): void {
      if (hashes.delete(hash)) events?.onRepaired(hash);
    },
    /** Forgets blobs that no deploy needs. */
    retainOnly(needed: ReadonlySet<string>): void {
      for (const hash of hashes) if (!needed.has(hash)) hashes.delete(hash);
    },
    hashes: () => [...hashes],
  };
};

export type DamagedBlobs = ReturnType<typeof damagedBlobs>;

const MAX_NAMED = 3;

/** The warning of `/readyz` about damaged files. */
export const damageWarnings = ({ hashes }: Pick<DamagedBlobs, "hashes">): Warning[] => {
  const damaged = hashes();
  if (damaged.length === 0) return [];
  const named = damaged.slice(0, MAX_NAMED).map((hash) => `blobs/${hash.slice(0, 2)}/${hash.slice(2)}`);
  const more = damaged.length > MAX_NAMED ? ` and ${damaged.length - MAX_NAMED} more` : "";
  return [
    {
      code: "damaged_files",
      count: damaged.length,
      message: `Files of deployed sites are missing or damaged: ${named.join(", ")}${more}. Run adoption-store doctor for the names of the deploys. Deploy these sites again, or restore a backup; then check the disk.`,
    },
  ];
};
