import { posix } from "node:path";
import { InvalidArchive, shorten } from "./archive-rules.ts";
import { attempt } from "../../lib/attempt.ts";

const DIRECTORY = ".well-known/acme-challenge";

/** Folds case, Unicode normalisation, repeated slashes and dot segments. */
const foldPath = (path: string): string =>
  posix.normalize(`/${path}`.normalize("NFKD").toUpperCase().toLowerCase()).slice(1);

/**
 * True for the directory where CAs fetch the response to a challenge (RFC 8555 section 8.3), and for everything in it. A
 * site's file there would prove to a CA that its uploader controls the name.
 */
const isChallengePath = (path: string): boolean => {
  const folded = foldPath(path);
  return folded === DIRECTORY || folded.startsWith(`${DIRECTORY}/`);
};

/** True for the path of a request that leads to the challenge directory, in any encoding. */
export const isChallengeAddress = (encoded: string): boolean =>
  /%|acme-challenge/i.test(encoded) && isChallengePath(attempt(() => decodeURIComponent(encoded)) ?? encoded);

/** @throws InvalidArchive for a file that no site may serve */
const assertNoChallenges = (paths: Iterable<string>, root: string): void => {
  for (const path of paths)
    if (isChallengePath(path.slice(root.length)))
      throw new InvalidArchive(
        `lies in ${DIRECTORY}/, where CAs check who controls a domain; sites cannot publish there, remove the directory`,
        path,
      );
};

/** True for files that macOS adds to archives on its own. They are not part of the site. */
export const isMacMetadata = (path: string): boolean =>
  path.startsWith("__MACOSX/") || /(?:^|\/)(?:\.DS_Store|\._[^/]*)$/.test(path);

const MAX_NAMED = 3;

const depthOf = (path: string): number => path.split("/").length;

/** Pages that could be the start page, nearest to the top first. */
const startPages = (paths: readonly string[]): string[] =>
  paths
    .filter((path) => /(?:^|\/)index\.html?$/i.test(path))
    .toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));

const topNames = (paths: readonly string[]): string[] => [
  ...new Set(paths.map((path) => path.replace(/\/.*/s, "/")).toSorted()),
];

const listNames = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).map(shorten).join(", ") + (more > 0 ? ` and ${more} more` : "");
};

const adviceFor = ([nearest]: readonly string[]): string => {
  if (nearest === undefined) return "Add a start page";
  // Paths are case-sensitive, and Index.html or index.htm is another file.
  if (!/(?:^|\/)index\.html$/.test(nearest)) return `Rename ${shorten(nearest)} to index.html`;
  return "Deploy the directory that holds the start page";
};

const noStartPage = (paths: readonly string[]): InvalidArchive => {
  const pages = startPages(paths);
  const found = listNames(pages.length > 0 ? pages : topNames(paths));
  return new InvalidArchive(`No index.html at the top level; found ${found}. ${adviceFor(pages)}.`);
};

/** The directory that holds all files, with its slash; "" without one, or if it is hidden. */
const commonDirectory = (paths: readonly string[]): string => {
  const first = /^[^./][^/]*\//.exec(paths[0] ?? "")?.[0] ?? "";
  return paths.every((path) => path.startsWith(first)) ? first : "";
};

/**
 * Finds the directory that holds the start page: "", or the single top-level directory that "compress folder" packs, with its
 * slash.
 * @throws InvalidArchive without a start page, or for a file that no site may have
 */
export const siteRoot = (paths: readonly string[]): string => {
  const root = ["", commonDirectory(paths)].find((one) => paths.includes(`${one}index.html`));
  if (root === undefined) throw noStartPage(paths);
  assertNoChallenges(paths, root);
  return root;
};
