import { parentOf, type OwnedSet, type RecordSet, TYPE } from "./records.ts";
import { delegationOf, nodeOf, type Zone, zoneOf } from "./zone.ts";

/** RFC 1035 section 4.1.1; BADVERS is of RFC 6891 section 9. */
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;

export interface Question {
  /** Canonical. */
  name: string;
  type: number;
}

/** CNAME records to follow in one response, as BIND does. */
const MAX_CNAMES = 11;

/** A response without records. */
export const emptyAnswer = (rcode: number) => ({
  rcode,
  authoritative: false,
  answers: [] as OwnedSet[],
  authorities: [] as OwnedSet[],
  additionals: [] as OwnedSet[],
});

export type Answer = ReturnType<typeof emptyAnswer>;

const setOf = (node: readonly RecordSet[], type: number): RecordSet | undefined =>
  node.find((set) => set.type === type);

/** The addresses of a delegation's servers that the zone has. Resolvers need them to reach servers below the delegation. */
const glueOf = ({ nodes }: Zone, { data }: RecordSet): OwnedSet[] =>
  data.flatMap(([name]) =>
    [TYPE.A, TYPE.AAAA].flatMap((type) => {
      const set = typeof name === "string" && setOf(nodes.get(name) ?? [], type);
      return set ? [{ name, set }] : [];
    }),
  );

/** RFC 1034 section 4.3.2, step 3b. */
const refer = (zone: Zone, cut: string, answer: Answer): Answer => {
  const set = setOf(zone.nodes.get(cut) ?? [], TYPE.NS);
  if (set) {
    answer.authorities.push({ name: cut, set });
    answer.additionals.push(...glueOf(zone, set));
  }
  return answer;
};

/** RFC 2308 section 2: the SOA record limits how long the absence may be cached. */
const deny = (zone: Zone, rcode: number, answer: Answer): Answer => {
  answer.rcode = rcode;
  answer.authorities.push(zone.negative);
  return answer;
};

/** The set for a question. RFC 8482 section 4.1: one set is enough for ANY. */
const setFor = (node: readonly RecordSet[], type: number): RecordSet | undefined =>
  type === TYPE.ANY ? node[0] : setOf(node, type);

/** RFC 4035 section 3.1.4.1: the parent's zone has the DS records of a delegation. */
const isReferred = (cut: string | undefined, { name, type }: Question): cut is string =>
  cut !== undefined && (cut !== name || type !== TYPE.DS);

/** The zone for a question. The DS records of a zone are in its parent's. */
const zoneFor = (zones: readonly Zone[], { name, type }: Question): Zone | undefined =>
  (type === TYPE.DS ? zoneOf(zones, parentOf(name)) : undefined) ?? zoneOf(zones, name);

/**
 * Answers a question from the zones alone: RFC 1034 section 4.3.2. It follows CNAME records inside the zone of the question,
 * because resolvers trust no other zone's records; the response code is that of the last name (RFC 6604 section 3). For names outside
 * the zones the response is REFUSED.
 */
export const answerQuestion = (question: Question, zones: readonly Zone[]): Answer => {
  const zone = zoneFor(zones, question);
  if (!zone) return emptyAnswer(RCODE.REFUSED);
  const { type } = question;
  const answer = emptyAnswer(RCODE.NOERROR);
  const seen = new Set<string>();
  for (let { name } = question; ;) {
    const cut = delegationOf(zone, name);
    if (isReferred(cut, { name, type })) return refer(zone, cut, answer);
    answer.authoritative = true;
    const node = nodeOf(zone, name, type);
    if (!node) return deny(zone, RCODE.NXDOMAIN, answer);
    const set = setFor(node, type);
    const alias = set ? undefined : setOf(node, TYPE.CNAME);
    const found = set ?? alias;
    if (!found) return deny(zone, RCODE.NOERROR, answer);
    answer.answers.push({ name, set: found });
    if (found.type === TYPE.NS) answer.additionals.push(...glueOf(zone, found));
    if (!alias) return answer;
    seen.add(name);
    name = String(alias.data[0]?.[0]);
    if (zoneOf(zones, name) !== zone) return answer;
    // BIND also responds with SERVFAIL to a loop, and to a chain that is too long.
    if (seen.has(name) || seen.size > MAX_CNAMES) return { ...answer, rcode: RCODE.SERVFAIL };
  }
};
