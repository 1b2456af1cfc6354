import { type OwnedSet, type RecordSet, TYPE } from "./records.ts";
import { nodeOf, type Zone, zoneOf } from "./zone.ts";

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

export interface Answer {
  rcode: number;
  authoritative: boolean;
  answers: readonly OwnedSet[];
  authorities: readonly OwnedSet[];
  additionals: readonly OwnedSet[];
}

/** A response without records. */
export const emptyAnswer = (rcode: number): Answer => ({
  rcode,
  authoritative: false,
  answers: [],
  authorities: [],
  additionals: [],
});

const setOf = (node: readonly RecordSet[], type: number): RecordSet | undefined =>
  node.find((set) => set.type === type);

/** The set for a question. RFC 8482 section 4.1: one set is enough for ANY. */
const setFor = (node: readonly RecordSet[], type: number): RecordSet | undefined =>
  type === TYPE.ANY ? node[0] : setOf(node, type);

/** The addresses of name servers that the zone has: resolvers ask for them next. */
const addressesOf = ({ nodes }: Zone, { data }: RecordSet): OwnedSet[] =>
  data.flatMap(([name]) =>
    [TYPE.A, TYPE.AAAA].flatMap((type) => {
      const set = typeof name === "string" && setOf(nodes.get(name) ?? [], type);
      return set ? [{ name, set }] : [];
    }),
  );

/** Answers a question from the zones alone: RFC 1034 section 4.3.2. For names outside the zones the response is REFUSED. */
export const answerQuestion = ({ name, type }: Question, zones: readonly Zone[]): Answer => {
  const zone = zoneOf(zones, name);
  if (!zone) return emptyAnswer(RCODE.REFUSED);
  const node = nodeOf(zone, name, type);
  const set = node && setFor(node, type);
  const answer = { ...emptyAnswer(node ? RCODE.NOERROR : RCODE.NXDOMAIN), authoritative: true };
  // RFC 2308 section 2: the SOA record limits how long the absence may be cached.
  if (!set) return { ...answer, authorities: [zone.negative] };
  const additionals = set.type === TYPE.NS ? addressesOf(zone, set) : [];
  return { ...answer, answers: [{ name, set }], additionals };
};
