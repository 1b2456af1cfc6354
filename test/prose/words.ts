/** A word or phrase that our pages do not use, and what to write. */
export interface Term {
  /** Without flags: it is matched anywhere in a sentence, in any case. */
  pattern: string;
  instead: string;
}

const term = (pattern: string, instead: string): Term => ({ pattern, instead });

/** The field's words, and plain ones. */
export const TERMS: readonly Term[] = [
  term(
    String.raw`\b(?:an?|the|its|their|each|every|kept|no|same|first|last|lost|that) answers?\b`,
    "response",
  ),
  term(String.raw`\banswers? (?:of|with) (?:\d|a status)`, "response"),
  term(String.raw`\b(?:is|are|was|were|be) answered\b`, "gets a response"),
  term(String.raw`\b(?:certificate )?authorit(?:y|ies)\b`, "CA; of a zone: authoritative server"),
  term(String.raw`\bat the (?:most|least)\b`, "at most, at least"),
  term(String.raw`\bin order to\b`, "to"),
  term(String.raw`\bmake use of\b|\butili[sz]e[sd]?\b`, "use"),
  term(String.raw`\b(?:a|the) (?:large )?(?:number|majority) of times\b`, "often"),
  term(String.raw`\bprior to\b`, "before"),
  term(String.raw`\bsubsequent(?:ly)?\b`, "later, then"),
  term(String.raw`\bdue to the fact that\b`, "because"),
  term(String.raw`\bin case\b`, "if"),
  term(String.raw`\bas well\b(?! as)`, "too"),
  term(String.raw`\be\.g\.|\bi\.e\.|(?<!/)\betc\b`, "for example; that is; and so on"),
  term(String.raw`\bhis\b|\bher\b|\bhe\b|\bshe\b|\bhers\b|\bs/he\b`, "they, their"),
  term(String.raw`\bblacklist|\bwhitelist`, "blocklist, allowlist"),
  term(String.raw`\bplease\b`, "the plain imperative"),
];

/** In front of these, "behind" is a place in a network, not a time. */
const NETWORK = String.raw`(?:(?:an?|the|one|your|\w+'s)\s+)?(?:reverse\s+)?(?:Caddy|nginx|NAT|prox|load balancer|CDN)`;

/** Patterns of a translation: each hides the term that a native engineer would use. */
export const TRANSLATIONS: readonly Term[] = [
  term(
    String.raw`\bwhat\s+(?:it|they|is|are|was|were|an?|the)\b`,
    "a noun: the previous response, its inputs",
  ),
  term(
    String.raw`\b(?:says?|said|saying)\s+(?:so|what|which|who|why|how|where|when|whether|since)\b`,
    "shows, reports, explains or names",
  ),
  term(String.raw`\b(?:nobody|somebody|whoever)\b`, "no client, another process, a user"),
  term(String.raw`\bbehind\b(?!\s+${NETWORK})`, "after"),
  term(
    String.raw`\bbesides?\b`,
    "next to, in addition to, compared with; of a server: while the server runs",
  ),
  term(String.raw`\bat\s+(?:once|present)\b`, "immediately, at the same time; currently"),
  term(
    String.raw`\bof\s+(?:its|their|your|our)\s+own\b`,
    "separate, dedicated, built-in or custom; or leave it out",
  ),
  term(
    String.raw`\b(?:is|are|was|were|be|been|being)\s+(?:wanted|forgotten|heard|told|known)\b`,
    "requested, erased, received, notified or registered",
  ),
  term(String.raw`\b(?:go|goes|going|gone|went)\s+on\b`, "continue"),
  term(String.raw`\b(?:is|are|was|were|be)\s+(?:away|back)\b`, "unavailable; reachable again"),
  term(
    String.raw`\bin\s+(?:the\s+|its\s+|their\s+)?place\s+of\b|\btak(?:e|es|en|ing)\s+(?:the|its|their)\s+place\b|\btook\s+(?:the|its|their)\s+place\b`,
    "instead of; replace",
  ),
  term(String.raw`\bhowever\s+(?:many|much|far|long|often|large)\b`, "regardless of"),
  term(String.raw`\bof\s+before\b`, "previous"),
  term(String.raw`\b(?:mend|reckon)(?:s|ed|ing)?\b`, "fix; calculate"),
];

/** Words that say nothing, or that the reader may not agree with. */
export const WEASELS: readonly string[] = [
  "actually",
  "basically",
  "clearly",
  "easily",
  "extremely",
  "fairly",
  "just",
  "merely",
  "needless to say",
  "note that",
  "obviously",
  "of course",
  "quite",
  "rather easily",
  "really",
  "simply",
  "trivially",
  "very",
];

/** Names as their owners write them. */
export const NAMES: readonly string[] = [
  "Caddy",
  "Chromium",
  "ClamAV",
  "Debian",
  "Docker",
  "Drizzle",
  "Elysia",
  "Excel",
  "GitHub",
  "Grafana",
  "HTTPS",
  "JavaScript",
  "JSON",
  "Let's Encrypt",
  "Linux",
  "Litestream",
  "macOS",
  "nginx",
  "Node.js",
  "OpenAPI",
  "Podman",
  "PostgreSQL",
  "Prometheus",
  "Python",
  "SQLite",
  "systemd",
  "TypeScript",
  "Ubuntu",
  "YAML",
];
