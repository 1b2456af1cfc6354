import { EngineUnavailable } from "../lib/storage-errors.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import type { CertificateStore } from "./certificate-store.ts";

/** Versions of the database, which other processes change too. */
interface Versions {
  /** Waits until the versions are current enough. @throws EngineUnavailable */
  recent(): Promise<void>;
  /** Changes with every change. */
  version(): number;
  /** Changes with every change by another process. */
  foreignVersion(): number;
}

/** How long the connections of a removed name may stay open. */
const WATCH_MS = 50;

/** Updates a store after changes by other processes. This process updates the store itself when it changes a certificate. */
export const watchCertificates = (
  store: Pick<CertificateStore, "withdraw" | "clear">,
  { recent, version, foreignVersion }: Versions,
  onError: (error: unknown) => void,
): Poller => {
  let seen = version();
  let seenForeign = foreignVersion();
  const watch = async () => {
    await recent();
    if (version() === seen) return;
    seen = version();
    store.withdraw();
    if (foreignVersion() === seenForeign) return;
    seenForeign = foreignVersion();
    store.clear();
  };
  return repeat(WATCH_MS, watch, {
    // Until the engine of a cluster is back, requests of sites get no content: see dispatch.ts.
    onError: (error) => (error instanceof EngineUnavailable ? undefined : onError(error)),
  });
};
