// Not TypeScript, because the types of highlight.js would add those of a browser to the whole program.
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";

/** `ini` reads TOML and systemd units too. */
const LANGUAGES = { bash, go, http, ini, javascript, json, nginx, python, sql, typescript, yaml };

export const openHighlighter = () => {
  const opened = highlighter.newInstance();
  for (const [name, language] of Object.entries(LANGUAGES)) opened.registerLanguage(name, language);
  return opened;
};
