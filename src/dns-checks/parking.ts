/** Name servers that a domain has until its holder acts at the registrar, and the finding that they cause. */
interface ParkingServers {
  /** The end of their names. */
  suffix: string;
  provider: string;
  kind: "parked" | "registration_expired" | "registration_on_hold";
}

/** From public lists of such name servers, compared on 2026-11-23. Servers that also serve real sites are left out. */
const PARKING_SERVERS: readonly ParkingServers[] = [
  { suffix: "above.com", provider: "Above.com", kind: "parked" },
  { suffix: "afternic.com", provider: "Afternic", kind: "parked" },
  { suffix: "bodis.com", provider: "Bodis", kind: "parked" },
  { suffix: "cashparking.com", provider: "CashParking", kind: "parked" },
  { suffix: "dan.com", provider: "Dan.com", kind: "parked" },
  { suffix: "parkingcrew.net", provider: "ParkingCrew", kind: "parked" },
  { suffix: "parklogic.com", provider: "ParkLogic", kind: "parked" },
  { suffix: "sedoparking.com", provider: "Sedo", kind: "parked" },
  { suffix: "uniregistrymarket.link", provider: "Uniregistry Market", kind: "parked" },
  { suffix: "onamae-expired.com", provider: "Onamae", kind: "registration_expired" },
  { suffix: "pendingrenewaldeletion.com", provider: "Network Solutions", kind: "registration_expired" },
  { suffix: "renewyourname.net", provider: "Tucows", kind: "registration_expired" },
  { suffix: "failed-whois-verification.namecheap.com", provider: "Namecheap", kind: "registration_on_hold" },
  { suffix: "verify-contact-details.namecheap.com", provider: "Namecheap", kind: "registration_on_hold" },
  { suffix: "verification-hold.suspended-domain.com", provider: "PDR", kind: "registration_on_hold" },
];

/** @param names of name servers, in lower case @returns undefined unless one of them is such a server */
export const parkingOf = (names: readonly string[]): ParkingServers | undefined =>
  PARKING_SERVERS.find(({ suffix }) => names.some((name) => `.${name}`.endsWith(`.${suffix}`)));
