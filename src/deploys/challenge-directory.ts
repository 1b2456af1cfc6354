import { posix } from "node:path";
import { InvalidArchive } from "./invalid-archive.ts";

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

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** True for the path of a request that leads to the challenge directory, in any encoding. */
export const isChallengeAddress = (encoded: string): boolean =>
  /%|acme-challenge/i.test(encoded) && isChallengePath(decodePath(encoded));

/** @throws InvalidArchive for a file that no site may serve */
export const assertNoChallenges = (paths: Iterable<string>, root: string): void => {
  for (const path of paths)
    if (isChallengePath(path.slice(root.length)))
      throw new InvalidArchive(
        `lies in ${DIRECTORY}/, where CAs check who controls a domain; sites cannot publish there, remove the directory`,
        path,
      );
};
