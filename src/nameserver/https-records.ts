import { httpsSet, type RecordSet, TYPE } from "../protocols/dns-server/records.ts";
import type { AddedRecords } from "../protocols/dns-server/zone.ts";

/** Seconds. A browser that has the record uses only HTTPS, even if the certificate has gone. */
const TTL = 300;

/**
 * HTTPS records (RFC 9460), beside other records that are added. A browser that finds one connects over HTTPS at once, so
 * only names whose visitors all get a valid certificate have one. Hints of addresses would save nothing: browsers
 * ask for the addresses at the same time.
 * @param protocols what the HTTPS listener offers (RFC 7301)
 */
export const withHttpsRecords = (
  others: AddedRecords,
  protocols: readonly string[],
  isSecured: (name: string) => boolean,
): AddedRecords => {
  const own: RecordSet = httpsSet(TTL, protocols);
  return (name, type) => {
    const added = others(name, type);
    return type === TYPE.HTTPS && isSecured(name) ? [...(added ?? []), own] : added;
  };
};
