import { Fault } from "../lib/errors.ts";

export interface AdmissionLimits {
  /** Concurrent uploads of one caller. */
  perCaller: number;
  /** Concurrent uploads of all callers. Each takes disk space while it arrives. */
  total: number;
  /** Archives that are unpacked at once. */
  unpacking: number;
}

export const ADMISSION: AdmissionLimits = { perCaller: 4, total: 64, unpacking: 4 };

const RETRY_SECONDS = 10;

const tooMany = (message: string) =>
  new Fault("rate_limited", `${message}; try again in ${RETRY_SECONDS} s.`, {
    "retry-after": String(RETRY_SECONDS),
    connection: "close",
  });

/** Decides which uploads may begin. An upload is unpacked only once it has arrived, so that slow ones delay no other. */
export const admission = ({ perCaller, total, unpacking }: AdmissionLimits) => {
  const uploading = new Map<string, number>();
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
    /** True if no upload is in progress. */
    isIdle: () => uploads === 0,
    /** Lets an upload of this caller begin. @returns a function to call when it has ended @throws Fault rate_limited */
    admit(caller: string): () => void {
      const own = uploading.get(caller) ?? 0;
      if (own >= perCaller)
        throw tooMany(`This key is sending ${own} archives, and may send ${perCaller} at once`);
      if (uploads >= total) throw tooMany("Too many archives are being sent");
      uploading.set(caller, own + 1);
      uploads++;
      return () => {
        uploads--;
        const left = (uploading.get(caller) ?? 1) - 1;
        if (left > 0) uploading.set(caller, left);
        else uploading.delete(caller);
      };
    },
    /** Runs `work` once fewer than `unpacking` others run, in the order of the calls. */
    async unpack<Result>(work: () => Promise<Result>): Promise<Result> {
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

export type Admission = ReturnType<typeof admission>;
