import { Elysia, t } from "elysia";
import { whoMustAct } from "../finding-kind.ts";
import { readBodyWithin } from "../../../http/body.ts";
import { isSameOrigin } from "../../../http/authorization.ts";
import { PLAIN_STYLE, plainPage, plainPolicy } from "../../../http/html-page.ts";
import type { Macros } from "../../../http/macros.ts";
import { Fault, statusOf } from "../../../lib/errors.ts";
import type { WithoutIdleTimeout } from "../../../lib/idle-timeout.ts";
import { once } from "../../../lib/lazy.ts";
import { type Rate, rateLimiter } from "../../../lib/rate-limiter.ts";
import { fromNameCheck } from "./model.ts";
import { type NameCheckService, VERDICT_TONES } from "./name-check.ts";

type WireCheck = ReturnType<typeof fromNameCheck>;

export const CHECK_PATH = "/domain-check";

/** The content of the page: the form as it was filled in, and the result. */
interface CheckPage {
  hostname: string;
  target: string;
  /** Why the check failed. */
  problem?: string | undefined;
  result?: WireCheck | undefined;
}

const CHECK_STYLE = `${PLAIN_STYLE}
:root { --bad: #a3161c; --good: #12652f; --wait: #7a4d00; --accent: #0f5a8c; --on-accent: #fff; --field: #6a7386; }
@media (prefers-color-scheme: dark) {
  :root { --bad: #ff9a94; --good: #7fd99a; --wait: #f2c36b; --accent: #8cc8f0; --on-accent: #10202c; --field: #8b95a8; }
}
form { display: grid; gap: 0.4rem; margin: 1.5rem 0; }
label { font-weight: 600; }
label:not(:first-child) { margin-top: 0.8rem; }
input, button { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: 0.4rem 0.75rem; font: inherit; border-radius: 0.4rem; }
input { color: inherit; background: var(--back); border: 1px solid var(--field); }
button { margin-top: 0.6rem; color: var(--on-accent); background: var(--accent); border: 0; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#result { outline: none; }
small { color: var(--quiet); }
.verdict { font-weight: 600; }
.verdict b { text-transform: uppercase; letter-spacing: 0.03em; margin-right: 0.4rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.wait { color: var(--wait); }
ol li { margin-bottom: 0.4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.6rem 0 1.2rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
li, summary { overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 0.4rem 0; }`;

const text = Bun.escapeHTML;

const form = ({ hostname, target }: CheckPage): string => `<form method="post" action="${CHECK_PATH}#result">
<label for="hostname">Domain or subdomain</label>
<input id="hostname" name="hostname" value="${text(hostname)}" required maxlength="1000" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="hostname-hint">
<small id="hostname-hint">For example docs.example.org or example.org.</small>
<label for="target">Target, if you have one</label>
<input id="target" name="target" value="${text(target)}" maxlength="1000" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="target-hint">
<small id="target-hint">The value of the record, as the project shows it.</small>
<button>Check</button>
</form>`;

interface ShownRecord {
  type: string;
  name: string;
  value: string;
  ttl: number;
}

const record = ({ type, name, value, ttl }: ShownRecord): string => `<dl>
<dt>Type</dt><dd>${text(type === "ALIAS" ? "ALIAS or ANAME" : type)}</dd>
<dt>Name</dt><dd><code>${text(name)}</code></dd>
<dt>Value</dt><dd><code>${text(value)}</code></dd>
<dt>TTL</dt><dd>${ttl}</dd>
</dl>`;

const steps = ({ guide }: WireCheck): string =>
  guide === undefined
    ? ""
    : `<p>The zone is at ${text(guide.provider)}:</p>
<ol>
${guide.steps.map((step) => `<li>${text(step)}</li>`).join("\n")}
</ol>`;

const records = (result: WireCheck): string => {
  const { record: needed } = result;
  if (!needed) return "";
  const { proof, note } = needed;
  return `<h2>${proof ? "The records" : "The record"}</h2>
${[needed, ...(proof ? [proof] : [])].map(record).join("\n")}
${steps(result)}
${note === undefined ? "" : `<p>${text(note)}</p>`}`;
};

const finding = ({ message, responsible }: WireCheck["findings"][number]): string =>
  `<li>${text(message)}${responsible ? `<br><small>${text(whoMustAct(responsible))}</small>` : ""}</li>`;

const findings = ({ findings: found }: WireCheck): string =>
  found.length === 0 ? "" : `<h2>What to do</h2>\n<ul>\n${found.map(finding).join("\n")}\n</ul>`;

type Question = WireCheck["trace"]["questions"][number];

const question = ({ server, type, name, outcome, detail, records: answers, command }: Question): string =>
  `<li>${text(`${server}: ${type} ${name}`)}<pre><code>${text(
    [`${outcome}${detail === undefined ? "" : ` (${detail})`}`, ...answers].join("\n"),
  )}</code></pre>${command === undefined ? "" : `<small>Repeat it: <code>${text(command)}</code></small>`}</li>`;

const queries = ({ trace }: WireCheck): string => `<h2>Queries</h2>
<details>
<summary>What was asked, and what the servers responded</summary>
<ul>
${trace.questions.map(question).join("\n")}
</ul>
</details>`;

const outcome = (result: WireCheck): string => `<div id="result" tabindex="-1">
<h2>${text(result.unicode)}</h2>
<p class="verdict ${VERDICT_TONES[result.verdict] ?? "wait"}"><b>${text(result.verdict.replaceAll("_", " "))}</b> ${text(result.message)}</p>
${findings(result)}
${records(result)}
${queries(result)}
</div>`;

/** The API's message about a field as a sentence: "hostname: is empty" becomes "The domain is empty." */
const sentence = (problem: string): string =>
  problem
    .replace(/^hostname: /, "The domain ")
    .replace(/^target: /, "The target ")
    .replace(/[^.]$/, "$&.");

const failure = (problem: string): string =>
  `<p id="result" tabindex="-1" role="alert" class="verdict bad">${text(sentence(problem))}</p>`;

/** The public page, which needs no script. It escapes every text that a visitor or a name server chose. */
export const checkPage = (page: CheckPage): string => {
  const { problem, result } = page;
  const main = `<h1>Check a domain</h1>
<p>See what the DNS has for a domain, and what to change before you use it with this service. Nothing is stored.</p>
${problem === undefined ? "" : failure(problem)}
${form(page)}
${result ? outcome(result) : ""}`;
  return plainPage(result ? `${text(result.unicode)}: check a domain` : "Check a domain", CHECK_STYLE, main);
};

/** For one client, because each check queries name servers of others. */
export const CLIENT_RATE: Rate = { requests: 10, seconds: 60 };
const MAX_BODY_BYTES = 4096;
const MAX_SHOWN = 1000;
const FORM = "application/x-www-form-urlencoded";

interface CheckPageOptions {
  nameChecks: NameCheckService;
  /** The client that a check counts against. */
  clientOf(request: Request): string;
  withoutIdleTimeout: WithoutIdleTimeout;
  macros: Macros;
}

const policy = once(() => plainPolicy(CHECK_STYLE, "'self'"));

const respond = (page: CheckPage, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(checkPage(page), {
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(),
      "cache-control": "no-store",
      "x-robots-tag": "noindex, nofollow",
    },
  });

type Typed = Pick<CheckPage, "hostname" | "target">;

/** @throws Fault unsupported_media_type, payload_too_large, request_timeout, invalid_request */
const readForm = async (request: Request): Promise<Typed> => {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  if (type.trim() !== FORM)
    throw new Fault("unsupported_media_type", "The request body must be the page's form.", { accept: FORM });
  const fields = new URLSearchParams(Buffer.from(await readBodyWithin(request, MAX_BODY_BYTES)).toString());
  const field = (name: string) => (fields.get(name) ?? "").trim();
  return { hostname: field("hostname"), target: field("target") };
};

/** @throws Fault cross_site_request: a page of another site could make its visitors ask */
const assertOwnForm = ({ headers }: Request) => {
  if (!isSameOrigin(headers))
    throw new Fault(
      "cross_site_request",
      "Only the form of this page can start a check: choose Check again.",
    );
};

/** The public page for a check, without a key. A GET never asks the DNS, so that links and crawlers cannot. */
export const checkPageRoutes = (options: CheckPageOptions) => {
  const { nameChecks, clientOf, withoutIdleTimeout, macros } = options;
  const clients = rateLimiter("domain-check", "checks");

  const check = async (request: Request, typed: Typed): Promise<Response> => {
    const { hostname, target } = typed;
    const wanted = { hostname, target: target === "" ? undefined : target };
    const result = await withoutIdleTimeout(request, () => nameChecks.check(wanted, clientOf(request)));
    return respond({ ...typed, result: fromNameCheck(result) });
  };

  const submit = async (request: Request): Promise<Response> => {
    let typed: Typed = { hostname: "", target: "" };
    try {
      assertOwnForm(request);
      await clients.take(clientOf(request), CLIENT_RATE);
      typed = await readForm(request);
      return await check(request, typed);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return respond({ ...typed, problem: error.message }, statusOf(error.code), error.headers);
    }
  };

  return new Elysia({ name: "domain-check-page", normalize: false })
    .use(macros)
    .get(
      CHECK_PATH,
      ({ query: { hostname = "", target = "" } }) =>
        respond({ hostname: hostname.slice(0, MAX_SHOWN), target: target.slice(0, MAX_SHOWN) }),
      { public: true, query: t.Record(t.String(), t.String()), detail: { hide: true } },
    )
    .post(CHECK_PATH, ({ request }) => submit(request), {
      public: true,
      // The body is read by `submit`, within its limit.
      parse: () => null,
      detail: { hide: true },
    });
};
