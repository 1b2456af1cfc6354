import { Fault } from "../lib/errors.ts";
import type { Warning } from "../http/health.ts";
import type { Logger } from "../lib/log.ts";

/** A file of a deploy is missing or not what was stored, and is not served. */
export class BlobDamaged extends Fault {
  constructor(readonly hash: string) {
    super("damaged_file");
  }
}

/** Blobs that are known to be missing or damaged. */
export interface DamagedBlobs {
  has(hash: string): boolean;
  /** Adds a damaged blob, and reports it the first time. @returns the error to throw in place of serving it */
  add(hash: string, problem: string): BlobDamaged;
  /** Removes a blob that is whole now, and reports it. */
  remove(hash: string): void;
  /** Forgets blobs that no deploy needs. */
  retainOnly(needed: ReadonlySet<string>): void;
  hashes(): string[];
}

export interface DamageEvents {
  onFound(hash: string, problem: string): void;
  onRepaired(hash: string): void;
}

/** Logs each damaged file once, and once more when it is whole again. */
export const damageLog = (log: Pick<Logger, "error" | "info">): DamageEvents => ({
  onFound: (hash, problem) =>
    log.error({ blob: hash, problem }, "a file of a deployed site is damaged: deploy the site again"),
  onRepaired: (hash) => log.info({ blob: hash }, "a damaged file of a deployed site is whole again"),
});

export const damagedBlobs = (events?: DamageEvents): DamagedBlobs => {
  const known = new Set<string>();
  return {
    has: (hash) => known.has(hash),
    add(hash, problem) {
      if (!known.has(hash)) events?.onFound(hash, problem);
      known.add(hash);
      return new BlobDamaged(hash);
    },
    remove(hash) {
      if (known.delete(hash)) events?.onRepaired(hash);
    },
    retainOnly(needed) {
      for (const hash of known) if (!needed.has(hash)) known.delete(hash);
    },
    hashes: () => [...known],
  };
};

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
      message: `Files of deployed sites are missing or damaged: ${named.join(", ")}${more}. adoption-store doctor names the deploys: deploy these sites again, or restore a backup; then look at the disk.`,
    },
  ];
};
