import { type Json, exampleOf, firstContent, isKeyed } from "./schemas.ts";

/** The request that the samples of an operation send. */
export interface SampleRequest {
  method: string;
  url: string;
  /** Whether the request carries an API key. */
  isKeyed: boolean;
  body?: { type: string; json: unknown } | { type: string; file: string };
  /** The samples' handling of the response's body. */
  response: "json" | "text" | "stream" | "none";
}

const FILES: Record<string, string> = { "application/gzip": "site.tar.gz" };

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
  true: string;
  false: string;
  null: string;
  /** Whether a key that is an identifier is written without quotes. */
  bareKeys?: boolean;
  /** Whether the last item of a list on several lines has a comma too. */
  trailingComma?: boolean;
  /** Whether there are spaces inside the braces of an object on one line. */
  padded: boolean;
  /** The spaces of one level. */
  indent: number;
}

export const JSON_NOTATION: Notation = {
  true: "true",
  false: "false",
  null: "null",
  padded: true,
  indent: 2,
};

const MAX_WIDTH = 56;

const scalarLiteral = (value: unknown, notation: Notation): string => {
  if (value === true) return notation.true;
  if (value === false) return notation.false;
  return value === null ? notation.null : JSON.stringify(value);
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

const curlBody = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  const type = `-H ${shellQuoted(`Content-Type: ${body.type}`)}`;
  return "file" in body
    ? [type, `--data-binary ${shellQuoted(`@${body.file}`)}`]
    : [type, `-d ${shellQuoted(literal(body.json, JSON_NOTATION))}`];
};

/** curl uses POST for a request with a body. */
const curlMethod = ({ method, body }: SampleRequest): string[] =>
  method === (body ? "POST" : "GET") ? [] : [`-X ${method}`];

const curlSample = (request: SampleRequest): string =>
  [
    `curl${request.response === "stream" ? " -N" : ""} ${shellQuoted(request.url)}`,
    ...curlMethod(request),
    ...(request.isKeyed ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...curlBody(request.body),
  ].join(" \\\n  ");

const JAVASCRIPT_NOTATION: Notation = { ...JSON_NOTATION, bareKeys: true, trailingComma: true };

const javascriptHeaders = ({ isKeyed, body }: SampleRequest): string[] => [
  ...(isKeyed ? ["    authorization: `Bearer ${process.env.API_KEY}`,"] : []),
  ...(body ? [`    "content-type": ${JSON.stringify(body.type)},`] : []),
];

const javascriptBody = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  const value =
    "file" in body
      ? `await readFile(${JSON.stringify(body.file)})`
      : `JSON.stringify(${literal(body.json, JAVASCRIPT_NOTATION, 2)})`;
  return [`  body: ${value},`];
};

const javascriptOptions = (request: SampleRequest): string[] => {
  const headers = javascriptHeaders(request);
  return [
    ...(request.method === "GET" ? [] : [`  method: ${JSON.stringify(request.method)},`]),
    ...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
    ...javascriptBody(request.body),
  ];
};

const JAVASCRIPT_OUTPUT: Record<SampleRequest["response"], string[]> = {
  json: ["console.log(await response.json());"],
  text: ["console.log(await response.text());"],
  none: ["console.log(response.status);"],
  stream: [
    "for await (const text of response.body.pipeThrough(new TextDecoderStream())) {",
    "  process.stdout.write(text);",
    "}",
  ],
};

/** The request with `fetch`, as a module for Node.js, Bun or Deno. */
const javascriptSample = (request: SampleRequest): string => {
  const url = JSON.stringify(request.url);
  const options = javascriptOptions(request);
  const call = options.length > 0 ? [`${url}, {`, ...options, "}"].join("\n") : url;
  return [
    ...(request.body && "file" in request.body ? ['import { readFile } from "node:fs/promises";', ""] : []),
    `const response = await fetch(${call});`,
    "if (!response.ok) throw new Error(await response.text());",
    ...JAVASCRIPT_OUTPUT[request.response],
  ].join("\n");
};

const PYTHON_NOTATION: Notation = {
  true: "True",
  false: "False",
  null: "None",
  trailingComma: true,
  padded: false,
  indent: 4,
};

const pythonHeaders = ({ isKeyed, body }: SampleRequest): string[] => [
  ...(isKeyed ? [`        "Authorization": "Bearer " + os.environ["API_KEY"],`] : []),
  ...(body ? [`        "Content-Type": ${JSON.stringify(body.type)},`] : []),
];

const pythonData = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  const value =
    "file" in body
      ? `open(${JSON.stringify(body.file)}, "rb").read()`
      : `json.dumps(${literal(body.json, PYTHON_NOTATION, 4)}).encode()`;
  return [`    data=${value},`];
};

const PYTHON_OUTPUT: Record<SampleRequest["response"], string[]> = {
  json: ["    print(json.load(response))"],
  text: ["    print(response.read().decode())"],
  none: ["    print(response.status)"],
  stream: ["    for line in response:", '        print(line.decode(), end="", flush=True)'],
};

const pythonImports = ({ isKeyed, body, response }: SampleRequest): string[] => [
  ...(response === "json" || (body && "json" in body) ? ["import json"] : []),
  ...(isKeyed ? ["import os"] : []),
  "import urllib.request",
];

/** The request with Python's standard library, so that it runs without installing anything. */
const pythonSample = (request: SampleRequest): string => {
  const headers = pythonHeaders(request);
  return [
    ...pythonImports(request),
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(request.url)},`,
    ...(request.method === "GET" ? [] : [`    method=${JSON.stringify(request.method)},`]),
    ...(headers.length > 0 ? ["    headers={", ...headers, "    },"] : []),
    ...pythonData(request.body),
    ")",
    "with urllib.request.urlopen(request) as response:",
    ...PYTHON_OUTPUT[request.response],
  ].join("\n");
};

/** Go's compiler refuses this character anywhere but at the start of a file. */
const BYTE_ORDER_MARK = /\uFEFF/g;

const goQuoted = (text: string): string => JSON.stringify(text).replace(BYTE_ORDER_MARK, String.raw`\ufeff`);

/** Between backticks if possible, where Go interprets nothing. */
const goString = (text: string): string => (/[`\r\uFEFF]/.test(text) ? goQuoted(text) : `\`${text}\``);

const GO_CHECK = ["\tif err != nil {", "\t\tlog.Fatal(err)", "\t}"];

const goBody = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  if ("json" in body) return [`\tbody := strings.NewReader(${goString(literal(body.json, JSON_NOTATION))})`];
  return [`\tbody, err := os.Open(${goQuoted(body.file)})`, ...GO_CHECK];
};

const goImports = ({ body, isKeyed, response }: SampleRequest): string[] => {
  const usesOs = isKeyed || response !== "none" || (body && "file" in body);
  return [
    ...(response === "none" ? ["fmt"] : ["io"]),
    "log",
    "net/http",
    ...(usesOs ? ["os"] : []),
    ...(body && "json" in body ? ["strings"] : []),
  ].map((name) => `\t"${name}"`);
};

const goHeaders = ({ isKeyed, body }: SampleRequest): string[] => [
  ...(isKeyed ? ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))'] : []),
  ...(body ? [`\trequest.Header.Set("Content-Type", ${goQuoted(body.type)})`] : []),
];

const goOutput = (response: SampleRequest["response"]): string =>
  response === "none" ? "\tfmt.Println(response.Status)" : "\tio.Copy(os.Stdout, response.Body)";

/** The request with `net/http`, as a program. */
const goSample = (request: SampleRequest): string =>
  [
    "package main",
    "",
    "import (",
    ...goImports(request),
    ")",
    "",
    "func main() {",
    ...goBody(request.body),
    `\trequest, err := http.NewRequest(${goQuoted(request.method)}, ${goQuoted(request.url)}, ${request.body ? "body" : "nil"})`,
    ...GO_CHECK,
    ...goHeaders(request),
    "\tresponse, err := http.DefaultClient.Do(request)",
    ...GO_CHECK,
    "\tdefer response.Body.Close()",
    "\tif response.StatusCode >= 400 {",
    "\t\tlog.Fatal(response.Status)",
    "\t}",
    goOutput(request.response),
    "}",
  ].join("\n");

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
