import type { Hostname } from "../lib/hostname.ts";
import { within } from "../dns-checks/dns-access.ts";
import type { ConnectOffer } from "./model.ts";

/** A name whose records a DNS provider may create. */
export interface ConnectRequest {
  hostname: Hostname;
  /** The zone of the name, if the last check found it. */
  zone: string | undefined;
  /** The label of the project's target. */
  label: string;
  /** The project that has the domain. */
  slug?: string;
}

/** Undefined if the provider of the zone does not support it. */
export type OfferConnect = (request: ConnectRequest) => Promise<ConnectOffer | undefined>;

/** How long clients wait for an offer, in milliseconds. */
const PATIENCE_MS = 4000;

/** Leaves out an offer that takes too long. The lookup continues, and the next request gets its result. */
export const patientOffer =
  (offer: OfferConnect | undefined): OfferConnect =>
  async (request) =>
    offer && within(PATIENCE_MS, offer(request), "").catch(() => undefined);
