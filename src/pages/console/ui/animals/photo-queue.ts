import { newIdempotencyKey } from "../../../../client/retry.ts";

/** A photo that is sent or waits for its turn, or was refused. */
export interface PhotoUpload {
  /** Its idempotency key: a repetition adds no second photo. */
  key: string;
  petId: number;
  file: File;
  /** The share that was sent, from 0 to 1. */
  share: number;
  error?: Error | undefined;
}

export type Send = (upload: PhotoUpload, onProgress: (share: number) => void) => Promise<unknown>;

/** Sends photos one after the other: the server processes one at a time. Refused ones stay, and the others continue. */
export const photoQueue = (send: Send, onChange: (uploads: readonly PhotoUpload[]) => void) => {
  let uploads: readonly PhotoUpload[] = [];
  let isRunning = false;
  const set = (next: readonly PhotoUpload[]) => {
    uploads = next;
    onChange(next);
  };
  const change = (key: string, part: Partial<PhotoUpload>) =>
    set(uploads.map((one) => (one.key === key ? { ...one, ...part } : one)));
  const forget = (key: string) => set(uploads.filter((one) => one.key !== key));
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    for (let next; (next = uploads.find(({ error }) => !error));) {
      const { key } = next;
      await send(next, (share) => change(key, { share })).then(
        () => forget(key),
        (error: Error) => change(key, { error }),
      );
    }
    isRunning = false;
  };
  return {
    add(petId: number, files: readonly File[]): void {
      set([...uploads, ...files.map((file) => ({ key: newIdempotencyKey(), petId, file, share: 0 }))]);
      void run();
    },
    retry(key: string): void {
      change(key, { error: undefined, share: 0 });
      void run();
    },
    forget,
  };
};
