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
  term(String.raw`\bwhoever\b`, "you, or who it is"),
  term(String.raw`\bat the (?:most|least)\b`, "at most, at least"),
  term(String.raw`\bin order to\b`, "to"),
  term(String.raw`\bmake use of\b|\butili[sz]e[sd]?\b`, "use"),
  term(String.raw`\b(?:a|the) (?:large )?(?:number|majority) of times\b`, "often"),
  term(String.raw`\bprior to\b`, "before"),
  term(String.raw`\bsubsequent(?:ly)?\b`, "later, then"),
  term(String.raw`\bdue to the fact that\b`, "because"),
  term(String.raw`\bin case\b`, "if"),
  term(String.raw`\bas well\b(?! as)`, "too"),
  term(String.raw`\bbesides\b`, "also, too; with a noun: beside"),
  term(String.raw`\be\.g\.|\bi\.e\.|(?<!/)\betc\b`, "for example; that is; and so on"),
  term(String.raw`\bhis\b|\bher\b|\bhe\b|\bshe\b|\bhers\b|\bs/he\b`, "they, their"),
  term(String.raw`\bblacklist|\bwhitelist`, "blocklist, allowlist"),
  term(String.raw`\bplease\b`, "the plain imperative"),
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
