import { expect, test } from "bun:test";
import { isImmutable, mediaType } from "../../../src/platform/deploys/media-type.ts";

test("the media type follows from the extension, and text is UTF-8", () => {
  const types = [
    "a.html",
    "a.JS",
    "a.css",
    "a.svg",
    "a.webmanifest",
    "a.woff2",
    "a.ts",
    "a.unknown1",
    "README",
    "a.wasm",
  ];
  expect(types.map(mediaType)).toEqual([
    "text/html; charset=utf-8",
    "text/javascript; charset=utf-8",
    "text/css; charset=utf-8",
    "image/svg+xml; charset=utf-8",
    "application/manifest+json; charset=utf-8",
    "font/woff2",
    "text/plain; charset=utf-8",
    "application/octet-stream",
    "application/octet-stream",
    "application/wasm",
  ]);
});

test("a hash in a name is distinguished from dates, versions and words", () => {
  const yes = [
    "main.5f2a1b9c.js",
    "a/index-BdR3xk2_.css",
    "app-7HQX3ZKJ.js",
    "chunk.1a2b3c4d5e6f7a8b9c0d.js.map",
  ];
  const no = [
    "jquery-20230101.js",
    "a-3.7.1.min.js",
    "my-document.pdf",
    "page-5f2a1b9c.html",
    "5f2a1b9c.js",
    "x-abcdefab.js",
  ];
  expect(yes.filter((name) => !isImmutable(name))).toEqual([]);
  expect(no.filter(isImmutable)).toEqual([]);
});
