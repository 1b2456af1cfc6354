import { type Json, exampleOf, firstContent, isKeyed } from "./schemas.ts";

/** The request that the samples of an operation send. */
export interface SampleRequest {
  method: string;
  url: string;
  /** Whether the request carries an API key. */
  isKeyed: boolean;
  /** Either JSON or a file. */
  body?: { type: string; json?: unknown; file?: string };
  /** The samples' handling of the response's body. */
  response: "json" | "text" | "stream" | "none";
}

const FILES: Record<string, string> = {
  "application/gzip": "site.tar.gz",
  "application/x-ndjson": "animals.ndjson",
  "image/jpeg": "photo.jpg",
  "text/csv": "animals.csv",
};

/** Required parameters, and the page size, which readers ask for first. */
const isSent = ({ in: place, name, required }: Json): boolean =>
  place === "query" && (required === true || name === "limit");

const urlOf = (base: string, path: string, parameters: Json[], schemas: Json): string => {
  const values = new Map(parameters.map((one) => [one["name"], exampleOf(one, schemas)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
  const query = new URLSearchParams(
    parameters.filter(isSent).map((one): [string, string] => [String(one["name"]), exampleOf(one, schemas)]),
  ).toString();
  return `${base}${filled}${query && `?${query}`}`;
};

const bodyOf = (requestBody: unknown): SampleRequest["body"] => {
  const [type, content] = firstContent(requestBody) ?? [];
  if (type === undefined) return undefined;
  return type === "application/json"
    ? { type, json: content?.["example"] }
    : { type, file: FILES[type] ?? "file" };
};

const responseOf = (responses: Record<string, Json>): SampleRequest["response"] => {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const types = Object.keys((success?.["content"] as Json | undefined) ?? {});
  if (types.length === 0) return "none";
  if (types.includes("application/json")) return "json";
  return types.includes("text/event-stream") ? "stream" : "text";
};

/**
 * The request that the samples of an operation send, from the examples in the document.
 * @param base the address that paths are relative to
 */
export const sampleRequest = (
  base: string,
  path: string,
  method: string,
  operation: Json,
  schemas: Json,
): SampleRequest => {
  const { parameters, requestBody, responses } = operation;
  const body = bodyOf(requestBody);
  return {
    method: method.toUpperCase(),
    url: urlOf(base, path, (parameters as Json[] | undefined) ?? [], schemas),
    isKeyed: isKeyed(operation),
    ...(body && { body }),
    response: responseOf(responses as Record<string, Json>),
  };
};

/** A language's notation for a JSON value. */
interface Notation {
  /** The words for true, false and null, unless they are those of JSON. */
  words?: Readonly<Record<string, string>>;
  /** Whether a key that is an identifier is written without quotes. */
  bareKeys?: boolean;
  /** Whether the last item of a list on several lines has a comma too. */
  trailingComma?: boolean;
  /** Whether there are spaces inside the braces of an object on one line. */
  padded: boolean;
  /** The spaces of one level. */
  indent: number;
}

export const JSON_NOTATION: Notation = { padded: true, indent: 2 };

const MAX_WIDTH = 56;

const scalarLiteral = (value: unknown, { words = {} }: Notation): string => {
  const json = JSON.stringify(value);
  return typeof value === "string" ? json : (words[json] ?? json);
};

const keyIn = (name: string, { bareKeys }: Notation): string =>
  bareKeys && /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);

const inlineLiteral = (value: unknown, notation: Notation): string => {
  if (Array.isArray(value)) return `[${value.map((one) => inlineLiteral(one, notation)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return scalarLiteral(value, notation);
  const fields = Object.entries(value).map(
    ([name, one]) => `${keyIn(name, notation)}: ${inlineLiteral(one, notation)}`,
  );
  const padding = notation.padded && fields.length > 0 ? " " : "";
  return `{${padding}${fields.join(", ")}${padding}}`;
};

/**
 * A value of JSON as source text: on one line if it fits, else one item a line.
 * @param indent of the line that the value starts on, in spaces
 */
export const literal = (value: unknown, notation: Notation, indent = 0): string => {
  const line = inlineLiteral(value, notation);
  if (line.length + indent <= MAX_WIDTH || typeof value !== "object" || value === null) return line;
  const inner = indent + notation.indent;
  const items = Array.isArray(value)
    ? value.map((one) => literal(one, notation, inner))
    : Object.entries(value).map(
        ([name, one]) => `${keyIn(name, notation)}: ${literal(one, notation, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const end = notation.trailingComma ? "," : "";
  const lines = items.map((item) => " ".repeat(inner) + item).join(",\n");
  return `${open}\n${lines}${end}\n${" ".repeat(indent)}${close}`;
};

/** A word for a POSIX shell, which expands nothing between single quotes. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The lines of a sample, without those that do not apply. */
const joined = (lines: readonly (string | false | undefined)[], separator = "\n"): string =>
  lines.filter((line) => line !== false && line !== undefined).join(separator);

const curlSample = ({ method, url, isKeyed, body, response }: SampleRequest): string =>
  joined(
    [
      `curl${response === "stream" ? " -N" : ""} ${shellQuoted(url)}`,
      // curl uses POST for a request with a body.
      method !== (body ? "POST" : "GET") && `-X ${method}`,
      isKeyed && '-H "Authorization: Bearer $API_KEY"',
      body && `-H ${shellQuoted(`Content-Type: ${body.type}`)}`,
      body &&
        (body.file === undefined
          ? `-d ${shellQuoted(literal(body.json, JSON_NOTATION))}`
          : `--data-binary ${shellQuoted(`@${body.file}`)}`),
    ],
    " \\\n  ",
  );

const JAVASCRIPT_NOTATION: Notation = { ...JSON_NOTATION, bareKeys: true, trailingComma: true };

const JAVASCRIPT_OUTPUT: Record<SampleRequest["response"], string> = {
  json: "console.log(await response.json());",
  text: "console.log(await response.text());",
  none: "console.log(response.status);",
  stream: `for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  process.stdout.write(text);
}`,
};

/** The request with `fetch`, as a module for Node.js, Bun or Deno. */
const javascriptSample = ({ method, url, isKeyed, body, response }: SampleRequest): string => {
  const headers = joined([
    isKeyed && "    authorization: `Bearer ${process.env.API_KEY}`,",
    body && `    "content-type": ${JSON.stringify(body.type)},`,
  ]);
  const options = joined([
    method !== "GET" && `  method: ${JSON.stringify(method)},`,
    headers !== "" && `  headers: {\n${headers}\n  },`,
    body &&
      (body.file === undefined
        ? `  body: JSON.stringify(${literal(body.json, JAVASCRIPT_NOTATION, 2)}),`
        : `  body: await readFile(${JSON.stringify(body.file)}),`),
  ]);
  return joined([
    body?.file !== undefined && 'import { readFile } from "node:fs/promises";\n',
    `const response = await fetch(${JSON.stringify(url)}${options && `, {\n${options}\n}`});`,
    "if (!response.ok) throw new Error(await response.text());",
    JAVASCRIPT_OUTPUT[response],
  ]);
};

const PYTHON_NOTATION: Notation = {
  words: { true: "True", false: "False", null: "None" },
  trailingComma: true,
  padded: false,
  indent: 4,
};

const PYTHON_OUTPUT: Record<SampleRequest["response"], string> = {
  json: "    print(json.load(response))",
  text: "    print(response.read().decode())",
  none: "    print(response.status)",
  stream: '    for line in response:\n        print(line.decode(), end="", flush=True)',
};

/** The request with Python's standard library, so that it runs without installing anything. */
const pythonSample = ({ method, url, isKeyed, body, response }: SampleRequest): string => {
  const sendsJson = body !== undefined && body.file === undefined;
  const headers = joined([
    isKeyed && '        "Authorization": "Bearer " + os.environ["API_KEY"],',
    body && `        "Content-Type": ${JSON.stringify(body.type)},`,
  ]);
  return joined([
    (response === "json" || sendsJson) && "import json",
    isKeyed && "import os",
    "import urllib.request\n",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    method !== "GET" && `    method=${JSON.stringify(method)},`,
    headers !== "" && `    headers={\n${headers}\n    },`,
    body &&
      (body.file === undefined
        ? `    data=json.dumps(${literal(body.json, PYTHON_NOTATION, 4)}).encode(),`
        : `    data=open(${JSON.stringify(body.file)}, "rb").read(),`),
    ")",
    "with urllib.request.urlopen(request) as response:",
    PYTHON_OUTPUT[response],
  ]);
};

/** Go's compiler refuses this character anywhere but at the start of a file. */
const BYTE_ORDER_MARK = /\uFEFF/g;

const goQuoted = (text: string): string => JSON.stringify(text).replace(BYTE_ORDER_MARK, String.raw`\ufeff`);

/** Between backticks if possible, where Go interprets nothing. */
const goString = (text: string): string => (/[`\r\uFEFF]/.test(text) ? goQuoted(text) : `\`${text}\``);

const GO_CHECK = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}";

/** The request with `net/http`, as a program. */
const goSample = ({ method, url, isKeyed, body, response }: SampleRequest): string => {
  const sendsFile = body?.file !== undefined;
  return joined([
    "package main\n",
    "import (",
    `\t"${response === "none" ? "fmt" : "io"}"`,
    '\t"log"\n\t"net/http"',
    (isKeyed || response !== "none" || sendsFile) && '\t"os"',
    body && !sendsFile && '\t"strings"',
    ")\n",
    "func main() {",
    body &&
      (body.file === undefined
        ? `\tbody := strings.NewReader(${goString(literal(body.json, JSON_NOTATION))})`
        : `\tbody, err := os.Open(${goQuoted(body.file)})\n${GO_CHECK}`),
    `\trequest, err := http.NewRequest(${goQuoted(method)}, ${goQuoted(url)}, ${body ? "body" : "nil"})`,
    GO_CHECK,
    isKeyed && '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))',
    body && `\trequest.Header.Set("Content-Type", ${goQuoted(body.type)})`,
    "\tresponse, err := http.DefaultClient.Do(request)",
    GO_CHECK,
    "\tdefer response.Body.Close()",
    "\tif response.StatusCode >= 400 {\n\t\tlog.Fatal(response.Status)\n\t}",
    response === "none" ? "\tfmt.Println(response.Status)" : "\tio.Copy(os.Stdout, response.Body)",
    "}",
  ]);
};

/** The languages of the samples, in the order of the tabs. */
export const LANGUAGES = [
  { lang: "curl", label: "curl", write: curlSample },
  { lang: "javascript", label: "JavaScript", write: javascriptSample },
  { lang: "python", label: "Python", write: pythonSample },
  { lang: "go", label: "Go", write: goSample },
] as const;

/** An entry of `x-codeSamples`. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** The samples of one request, for `x-codeSamples`. They read the API key from the environment variable API_KEY. */
export const samplesOf = (request: SampleRequest): CodeSample[] =>
  LANGUAGES.map(({ lang, label, write }) => ({ lang, label, source: write(request) }));
