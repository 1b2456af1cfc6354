import type { Event } from "./model.ts";

const WORDS: Record<Event["event"], string> = {
  added: "The domain was added",
  records_right: "The records were right",
  records_wrong: "Another record was in the place",
  records_missing: "The record was not there, or not everywhere yet",
  lapsed: "Its records were wrong for too long: it was no longer served",
  served_over_http: "It went live over HTTP",
  order_placed: "A certificate was ordered",
  certificate_stored: "The certificate was issued",
  issue_refused: "The certificate was refused",
  plan_dropped: "It was suspended: the plan has no custom domains",
  plan_restored: "It came back with the plan",
  yielded: "Another project proved that the domain is its own, and has it now",
  removed: "The domain was removed",
  unreachable: "Name servers could not be asked",
  domain_taken: "The records were right, but another project held the domain, which the DNS named too",
  became_primary: "It became the primary domain",
  became_served: "Its visitors get the site",
  became_redirect: "Its visitors are sent to the primary domain",
};

/** What happened, in a sentence. */
export const eventWords = ({ event }: Pick<Event, "event">): string => WORDS[event];

/** Who did it. */
export const actorWords = ({ actor, key }: Pick<Event, "actor" | "key">): string => {
  if (actor === "service") return "by itself";
  return actor === "operator" ? "at the command line" : `with key ${key}`;
};
