import { NewCategory } from "../../../store/categories/model.ts";
import { describeLimits } from "../../../platform/certificates/budget.ts";
import { OVERDUE_MS } from "../../../platform/certificates/certificate.ts";
import { MAX_ROW_BYTES } from "../../../store/import-export/row.ts";
import { SETTINGS } from "../../../config/settings.ts";
import { IDLE_MS, MAX_AGE_MS } from "../../console/sessions.ts";
import { MAX_PER_CALLER } from "../../../data/db/kept-responses.ts";
import { ADMISSION, UPLOAD_PACE } from "../../../platform/deploys/uploads.ts";
import { UNPACK_LIMITS } from "../../../platform/deploys/archive-rules.ts";
import { MAX_RETAINED } from "../../../platform/deploys/repository.ts";
import { HEADER_LIMITS, MAX_HEADER_PATHS } from "../../../platform/deploys/rules/headers.ts";
import {
  MAX_CAPTURES,
  MAX_PATTERNS,
  MAX_REDIRECTS as MAX_RULES,
  REDIRECT_LIMITS,
} from "../../../platform/deploys/rules/redirects.ts";
import { MAX_EVENTS as MAX_DOMAIN_EVENTS } from "../../../platform/domains/repository.ts";
import { LAPSE_MS, WAITING_MS } from "../../../platform/domains/schedule.ts";
import { CLIENT_RATE } from "../../../platform/dns-checks/name-checks/page-routes.ts";
import { KEYED_LIMITS, PUBLIC_LIMITS } from "../../../platform/dns-checks/name-checks/name-check.ts";
import { MAX_DOMAINS } from "../../../platform/domains/service.ts";
import { VERIFICATIONS } from "../../../platform/domains/checks.ts";
import { BODY_PACE } from "../../../http/body.ts";
import { MAX_KEY_LENGTH, RETENTION_MS } from "../../../http/idempotency.ts";
import { Limit } from "../../../http/schemas.ts";
import { DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS, MAX_NAME } from "../../../access/keys/model.ts";
import { limitsOf } from "../../../lib/acme-limits.ts";
import { MAX_DEPTH } from "../../../lib/json.ts";
import { MAX_EMAIL_LENGTH } from "../../../lib/email.ts";
import { MAX_NOTE_LENGTH } from "../../../store/orders/model.ts";
import { MAX_IMPORT_BYTES } from "../../../store/import-export/endpoints.ts";
import { MAX_PIXELS } from "../../../store/photos/image.ts";
import {
  MAX_ALT_LENGTH,
  MAX_PHOTO_BYTES,
  MAX_PHOTOS,
  MAX_QUEUED_BYTES,
} from "../../../store/photos/photo.ts";
import { MAX_FIELDS } from "../../../store/pets/fields/field.ts";
import { MEMBERS } from "../../../store/pets/profile/members.ts";
import { MAX_EVENTS } from "../../../store/pets/events/repository.ts";
import { INVITATION_MS, MAX_PASSKEY_NAME, MAX_PASSKEYS } from "../../../access/people/person.ts";
import { MAX_PERSON_NAME } from "../../../access/people/model.ts";
import { MAX_CHANGES, MAX_IDS, NewPet } from "../../../store/pets/model.ts";
import type { Rate } from "../../../lib/rate-limiter.ts";
import { MAX_SEARCH_LENGTH, MAX_WORDS } from "../../../lib/search.ts";
import { NewProject } from "../../../platform/projects/model.ts";
import { MAX_SLUG_LENGTH } from "../../../platform/projects/slug.ts";
import { MAX_AMPLIFICATION, MAX_RESPONSES } from "../../../protocols/dns-server/responder.ts";
import { MAX_UDP_BYTES } from "../../../protocols/dns-server/response.ts";
import { TCP_LIMITS } from "../../../protocols/dns-server/listen.ts";
import { DEFAULT_LIMITS } from "../../../protocols/tls/connections.ts";
import { MIN_BYTES_PER_SECOND } from "../../../protocols/tls/responses.ts";
import { code, number, parts, size, span, table } from "./markdown.ts";

type Row = readonly [limit: string, value: string];

const rule = (schema: object, keyword: string): string =>
  number(Number((schema as Record<string, unknown>)[keyword]));

const characters = (count: number | string): string => `${count} characters`;

const rate = ({ requests, seconds }: Rate): string => `${requests} in ${span(seconds * 1000)}`;

const setting = ({ env, fallback }: { env: string; fallback: string }): string =>
  `${fallback} (${code(env)})`;

const requests: Row[] = [
  ["JSON body", setting(SETTINGS.bodyLimit)],
  [
    "time for a JSON body",
    `${span(BODY_PACE.graceMs)}, plus ${span(1_024_000 / BODY_PACE.bytesPerSecond)} per KiB`,
  ],
  ["depth of a JSON body", `${MAX_DEPTH} levels`],
  [
    "items of one page (`limit`)",
    `${rule(Limit, "minimum")} to ${rule(Limit, "maximum")}, ${rule(Limit, "default")} by default`,
  ],
  ["ids in `ids`", number(MAX_IDS)],
  ["changes of one `POST /v1/pets/changes`", number(MAX_CHANGES)],
  ["search text (`q`)", `${characters(MAX_SEARCH_LENGTH)}, ${MAX_WORDS} words`],
  ["failed authentications of one client", `${setting(SETTINGS.authFailuresPerMinute)} a minute`],
  ["requests of one key", "the key's own rate limit, none by default"],
];

const names: Row[] = [
  ["name of an animal", characters(rule(NewPet.properties.name, "maxLength"))],
  ["name of a category", characters(rule(NewCategory.properties.name, "maxLength"))],
  ["name of a key", characters(MAX_NAME)],
  ["name of a project", characters(rule(NewProject.properties.name, "maxLength"))],
  ["slug of a project", characters(MAX_SLUG_LENGTH)],
  ["name of a person", characters(MAX_PERSON_NAME)],
  ["name of a passkey", characters(MAX_PASSKEY_NAME)],
  ["email address", characters(MAX_EMAIL_LENGTH)],
  ["custom fields of a store", number(MAX_FIELDS)],
  ["description of an animal", characters(rule(MEMBERS.description.schema, "maxLength"))],
  ["note of an order", characters(number(MAX_NOTE_LENGTH))],
];

const repeats: Row[] = [
  ["`Idempotency-Key`", characters(MAX_KEY_LENGTH)],
  ["retention of a response", span(RETENTION_MS)],
  ["kept responses of one key or person", number(MAX_PER_CALLER)],
  ["events of animals that are kept", number(MAX_EVENTS)],
  ["open event streams of one key or person", setting(SETTINGS.eventStreamsPerKey)],
  ["open event streams in total", setting(SETTINGS.eventStreams)],
];

const keys: Row[] = [
  [
    "validity of the old secret after a rotation",
    `${span(DEFAULT_GRACE_SECONDS * 1000)} by default, ${span(MAX_GRACE_SECONDS * 1000)} at most`,
  ],
  ["invitation of a person", span(INVITATION_MS)],
  ["passkeys of one person", number(MAX_PASSKEYS)],
  ["session of the console without use", span(IDLE_MS)],
  ["session of the console", span(MAX_AGE_MS)],
];

const photos: Row[] = [
  ["photo", `${size(MAX_PHOTO_BYTES)}, ${number(MAX_PIXELS)} pixels`],
  ["photos of one animal", number(MAX_PHOTOS)],
  ["text of a photo", `${number(MAX_ALT_LENGTH)} characters`],
  ["photos that arrive or wait", size(MAX_QUEUED_BYTES)],
];

const sites: Row[] = [
  ["archive of a deploy", setting(SETTINGS.deployLimit)],
  ["unpacked deploy", `${size(UNPACK_LIMITS.bytes)}, ${number(UNPACK_LIMITS.files)} files`],
  ["path in an archive", `${number(UNPACK_LIMITS.pathBytes)} bytes, ${UNPACK_LIMITS.depth} directories deep`],
  [
    "`_redirects`",
    `${size(REDIRECT_LIMITS.bytes)}, ${number(MAX_RULES)} rules, ${MAX_PATTERNS} of them with a placeholder or a splat, ${MAX_CAPTURES} placeholders in a destination, ${number(REDIRECT_LIMITS.lineCharacters)} characters a line`,
  ],
  [
    "`_headers`",
    `${size(HEADER_LIMITS.bytes)}, ${MAX_HEADER_PATHS} paths, ${number(HEADER_LIMITS.lineCharacters)} characters a line`,
  ],
  ["concurrent uploads", `${ADMISSION.perCaller} of one key or person, ${ADMISSION.total} in total`],
  ["slowest upload", `${size(UPLOAD_PACE.bytesPerSecond)} a second, after ${span(UPLOAD_PACE.graceMs)}`],
  ["kept deploys of one project", `the newest ${MAX_RETAINED}, and as many that failed`],
  ["disk space of one project", setting(SETTINGS.projectQuota)],
];

const domains: Row[] = [
  ["domains of one project", number(MAX_DOMAINS)],
  ["redirects of one project", number(MAX_DOMAINS)],
  ["requested checks of one domain", rate(VERIFICATIONS)],
  ["checks of names below one registered domain, with a key", rate(KEYED_LIMITS.perDomain)],
  ["checks of names at the same time, with keys", number(KEYED_LIMITS.concurrent)],
  ["checks of one client at `/domain-check`", rate(CLIENT_RATE)],
  [
    "checks of names below one registered domain at `/domain-check`",
    `${rate(PUBLIC_LIMITS.perDomain)}, ${rate(PUBLIC_LIMITS.perDomainAndClient)} per client`,
  ],
  ["checks of all clients at `/domain-check`", rate(PUBLIC_LIMITS.total)],
  [
    "checks at the same time at `/domain-check`",
    `${number(PUBLIC_LIMITS.concurrent)}, ${number(PUBLIC_LIMITS.concurrentPerClient)} of one client`,
  ],
  ["duration of automatic checks of a new domain", span(WAITING_MS)],
  ["time that a live domain may fail its check", span(LAPSE_MS)],
  ["events in the history of one domain", number(MAX_DOMAIN_EVENTS)],
  ["time after which a certificate is overdue", span(OVERDUE_MS)],
  ...describeLimits(limitsOf(SETTINGS.acmeDirectory.fallback)).map(({ description, max }): Row => [
    `${description}, unless \`ACME_LIMITS\` changes it`,
    number(max),
  ]),
];

const connections: Row[] = [
  ["connections of one client", `${DEFAULT_LIMITS.connectionsPerClient} over HTTP, as many over HTTPS`],
  ["HTTP/2 responses in progress", number(DEFAULT_LIMITS.responses)],
  ["HTTP/2 responses in progress of one client", number(DEFAULT_LIMITS.responsesPerClient)],
  [
    "queued HTTP/2 requests",
    `${number(DEFAULT_LIMITS.responses)}, ${number(DEFAULT_LIMITS.responsesPerClient)} of one client, each for ${span(DEFAULT_LIMITS.stallMs)} at most`,
  ],
  [
    "time without read progress before a response ends",
    `${span(DEFAULT_LIMITS.stallMs)}; over HTTP/2, each ${MIN_BYTES_PER_SECOND} bytes sent subtract ${span(1000)}`,
  ],
  ["connections of all clients", `${number(DEFAULT_LIMITS.connections)} over HTTP, as many over HTTPS`],
  ["TLS handshake", span(DEFAULT_LIMITS.handshakeMs)],
  ["headers of a request over HTTPS", span(DEFAULT_LIMITS.headersMs)],
  ["HTTPS connection without traffic", span(DEFAULT_LIMITS.idleMs)],
];

const nameServer: Row[] = [
  ["response over UDP", size(MAX_UDP_BYTES)],
  ["response to an address without a cookie", `${MAX_AMPLIFICATION} times the question`],
  ["responses to an address without a cookie", `${MAX_RESPONSES} a second`],
  ["question over TCP", size(TCP_LIMITS.messageBytes)],
  ["TCP connections of one client", number(TCP_LIMITS.connectionsPerClient)],
  ["TCP connections of all clients, to each address of the server", number(TCP_LIMITS.connections)],
  ["TCP connection without a question", span(TCP_LIMITS.idleMs)],
];

const imports: Row[] = [
  ["line of an imported file", size(MAX_ROW_BYTES)],
  ["file of an import over HTTP", size(MAX_IMPORT_BYTES)],
];

const GROUPS: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  ["Requests", requests],
  ["Names and texts", names],
  ["Repeated requests and events", repeats],
  ["Keys, people and sessions", keys],
  ["Photos", photos],
  ["Sites", sites],
  ["Domains and certificates", domains],
  ["Connections", connections],
  ["Name server", nameServer],
  ["Files", imports],
];

const NODES = `## Nodes of a cluster

The nodes of a cluster share the limits of requests of one key, of failed authentications and sign-ins of one client, and of requested
checks of one domain. Each live node allows an equal share, rounded up. The headers \`RateLimit-Policy\` and \`RateLimit\` show the share of
the responding node. A client whose requests all reach one node gets only that share.

Connections, streams, uploads, responses of the name server and checks of names count separately on each node.`;

/** The limits that the program enforces, as its constants have them. */
export const limitsTables = (): string =>
  parts(...GROUPS.map(([title, rows]) => parts(`## ${title}`, table(["resource", "limit"], rows))), NODES);
