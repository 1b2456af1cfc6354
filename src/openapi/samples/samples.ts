import { curlSample } from "./curl.ts";
import { goSample } from "./go.ts";
import { javascriptSample } from "./javascript.ts";
import { pythonSample } from "./python.ts";
import type { SampleRequest } from "./sample-request.ts";

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
