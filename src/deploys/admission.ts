import { Fault } from "../lib/errors.ts";

export interface AdmissionLimits {
  /** Uploads that one key sends at once. */
  perKey: number;
  /** Uploads of all keys together. Each takes room on the disk while it arrives. */
  total: number;
  /** Archives that are unpacked at once. */
  unpacking: number;
}

export const ADMISSION: AdmissionLimits = { perKey: 4, total: 64, unpacking: 4 };

const RETRY_SECONDS = 10;

const tooMany = (message: string) =>
  new Fault("rate_limited", `${message}; try again in ${RETRY_SECONDS} s.`, {
    "retry-after": String(RETRY_SECONDS),
    connection: "close",
  });

export interface Admission {
  /** Lets an upload of this key begin. @returns a function to call once when it has ended @throws Fault rate_limited */
  admit(keyId: number): () => void;
  /** Runs `work` when fewer than `unpacking` others run. They run in the order of their calls. */
  unpack<Result>(work: () => Promise<Result>): Promise<Result>;
  /** True while no upload is on its way. */
  isIdle(): boolean;
}

/** Decides which uploads may begin. An upload is unpacked only once it has arrived, so that slow ones delay no other. */
export const admission = ({ perKey, total, unpacking }: AdmissionLimits): Admission => {
  const uploading = new Map<number, number>();
  let uploads = 0;
  let running = 0;
  const waiting: (() => void)[] = [];

  const next = () => {
    if (running >= unpacking) return;
    const begin = waiting.shift();
    if (!begin) return;
    running++;
    begin();
  };

  return {
    isIdle: () => uploads === 0,
    admit(keyId) {
      const own = uploading.get(keyId) ?? 0;
      if (own >= perKey) throw tooMany(`This key is sending ${own} archives, and may send ${perKey} at once`);
      if (uploads >= total) throw tooMany("Too many archives are being sent");
      uploading.set(keyId, own + 1);
      uploads++;
      return () => {
        uploads--;
        const left = (uploading.get(keyId) ?? 1) - 1;
        if (left > 0) uploading.set(keyId, left);
        else uploading.delete(keyId);
      };
    },
    async unpack(work) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      next();
      await promise;
      try {
        return await work();
      } finally {
        running--;
        next();
      }
    },
  };
};
