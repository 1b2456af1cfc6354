import { Fault } from "../http/faults.ts";
import type { Warning } from "../http/health.ts";

/** A file of a deploy is not what was stored: it is not served. */
export class BlobDamaged extends Fault {
  constructor(readonly hash: string) {
    super("damaged_file");
  }
}

/** Blobs that are known to be missing or damaged. */
export interface Damage {
  has(hash: string): boolean;
  /** Notes a damaged blob; says so the first time. @returns what to throw where it was to be served */
  found(hash: string, problem: string): BlobDamaged;
  /** The blob is whole now. */
  healed(hash: string): void;
  /** Forgets blobs that no deploy needs. */
  keepOnly(needed: ReadonlySet<string>): void;
  hashes(): string[];
}

export interface DamageEvents {
  onFound(hash: string, problem: string): void;
  onHealed(hash: string): void;
}

export const damageLedger = (events?: DamageEvents): Damage => {
  const known = new Set<string>();
  return {
    has: (hash) => known.has(hash),
    found(hash, problem) {
      if (!known.has(hash)) events?.onFound(hash, problem);
      known.add(hash);
      return new BlobDamaged(hash);
    },
    healed(hash) {
      if (known.delete(hash)) events?.onHealed(hash);
    },
    keepOnly(needed) {
      for (const hash of known) if (!needed.has(hash)) known.delete(hash);
    },
    hashes: () => [...known],
  };
};

const MAX_NAMED = 3;

/** What readiness says of damaged files. */
export const damageWarnings = ({ hashes }: Pick<Damage, "hashes">): Warning[] => {
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
