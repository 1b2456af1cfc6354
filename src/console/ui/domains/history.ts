import type { Event } from "./model.ts";

const WORDS: Record<Event["event"], string> = {
  added: "The domain was added",
  records_right: "The records were right",
  records_wrong: "Another record was in the way",
  records_missing: "The record was missing, or not everywhere yet",
  lapsed: "Its records were wrong for too long: it is no longer served",
  served_over_http: "It went live over HTTP",
  order_placed: "A certificate was ordered",
  certificate_stored: "The certificate was issued",
  issue_refused: "The certificate was refused",
  plan_dropped: "It was suspended: the plan has no custom domains",
  plan_restored: "It was restored: the plan has custom domains",
  yielded: "Another project proved that it owns the domain, and took it over",
  removed: "The domain was removed",
  unreachable: "Name servers did not respond",
  domain_taken: "The records were right, but another project that the DNS also named held the domain",
  became_primary: "It became the primary domain",
  became_served: "It began to show the site",
  became_redirect: "It began to redirect to the primary domain",
};

/** An event in a sentence. */
export const eventWords = ({ event }: Pick<Event, "event">): string => WORDS[event];

/** Who caused it. */
export const actorWords = ({ actor, key }: Pick<Event, "actor" | "key">): string => {
  if (actor === "service") return "by itself";
  return actor === "operator" ? "at the command line" : `with key ${key}`;
};
