import { JSON_NOTATION, literal } from "./literal.ts";
import type { SampleRequest } from "./sample-request.ts";

/** Go's compiler refuses this character anywhere but at the start of a file. */
const BYTE_ORDER_MARK = /\uFEFF/g;

const quoted = (text: string): string => JSON.stringify(text).replace(BYTE_ORDER_MARK, String.raw`\ufeff`);

/** Between backticks if possible, where Go interprets nothing. */
const goString = (text: string): string => (/[`\r\uFEFF]/.test(text) ? quoted(text) : `\`${text}\``);

const CHECK = ["\tif err != nil {", "\t\tlog.Fatal(err)", "\t}"];

const bodyLines = (body: SampleRequest["body"]): string[] => {
  if (!body) return [];
  if ("json" in body) return [`\tbody := strings.NewReader(${goString(literal(body.json, JSON_NOTATION))})`];
  return [`\tbody, err := os.Open(${quoted(body.file)})`, ...CHECK];
};

const importsOf = ({ body, isKeyed, response }: SampleRequest): string[] => {
  const usesOs = isKeyed || response !== "none" || (body && "file" in body);
  return [
    ...(response === "none" ? ["fmt"] : ["io"]),
    "log",
    "net/http",
    ...(usesOs ? ["os"] : []),
    ...(body && "json" in body ? ["strings"] : []),
  ].map((name) => `\t"${name}"`);
};

const headerLines = ({ isKeyed, body }: SampleRequest): string[] => [
  ...(isKeyed ? ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))'] : []),
  ...(body ? [`\trequest.Header.Set("Content-Type", ${quoted(body.type)})`] : []),
];

const outputOf = (response: SampleRequest["response"]): string =>
  response === "none" ? "\tfmt.Println(response.Status)" : "\tio.Copy(os.Stdout, response.Body)";

/** The request with `net/http`, as a program. */
export const goSample = (request: SampleRequest): string =>
  [
    "package main",
    "",
    "import (",
    ...importsOf(request),
    ")",
    "",
    "func main() {",
    ...bodyLines(request.body),
    `\trequest, err := http.NewRequest(${quoted(request.method)}, ${quoted(request.url)}, ${request.body ? "body" : "nil"})`,
    ...CHECK,
    ...headerLines(request),
    "\tresponse, err := http.DefaultClient.Do(request)",
    ...CHECK,
    "\tdefer response.Body.Close()",
    "\tif response.StatusCode >= 400 {",
    "\t\tlog.Fatal(response.Status)",
    "\t}",
    outputOf(request.response),
    "}",
  ].join("\n");
