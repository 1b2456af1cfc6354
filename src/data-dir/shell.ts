/** A path as an argument of a shell command, quoted if necessary. */
export const shellQuoted = (path: string): string =>
  /^[\w./,:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
