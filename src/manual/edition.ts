/** Where the manual is published: by the server at `/manual`, or as a site of its own. */
export interface Edition {
  /** The address of the manual without a slash at its end: `/manual`; empty for a site of its own. */
  base: string;
  /** The origin of addresses in llms.txt, without a slash; empty makes them relative. */
  origin: string;
  /** The version of the program. */
  version: string;
  /** Pages beside the manual, for its header. */
  neighbours: readonly { href: string; label: string }[];
}
