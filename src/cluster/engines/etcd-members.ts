/** The members of etcd, and which of them to ask first. */
export interface Members {
  readonly urls: readonly string[];
  /** The first in the order of the URL that is not avoided, and not one of `except`; else the one that failed longest ago. */
  pick(except?: ReadonlyMap<string, unknown>): string | undefined;
  /** Asks others first, until this one is healthy again. */
  avoid(url: string): void;
  close(): void;
}

const PROBE_MS = 2000;

/** @param isHealthy asks a member whether it can serve: it then has a leader */
export const createMembers = (
  urls: readonly string[],
  isHealthy: (url: string) => Promise<boolean>,
): Members => {
  /** When they failed. */
  const avoided = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const probe = async (): Promise<void> => {
    await Promise.all(
      [...avoided.keys()].map(async (url) => {
        if (await isHealthy(url)) avoided.delete(url);
      }),
    );
    if (avoided.size > 0) timer?.refresh();
    else timer = undefined;
  };
  const failedAt = (url: string): number => avoided.get(url) ?? 0;

  return {
    urls,
    pick: (except) =>
      urls.filter((url) => !except?.has(url)).toSorted((a, b) => failedAt(a) - failedAt(b))[0],
    avoid(url) {
      avoided.set(url, performance.now());
      timer ??= setTimeout(() => void probe(), PROBE_MS).unref();
    },
    close() {
      clearTimeout(timer);
      avoided.clear();
    },
  };
};
