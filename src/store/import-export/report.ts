import type { Preview } from "./import.ts";

/** A row of a dry run. */
export const previewRow = ({ line, decision: { before, after, changes }, category }: Preview) => ({
  line,
  ...(before && { id: before.id }),
  name: after.name,
  ...(category !== undefined && { category }),
  ...(after.status && { status: after.status }),
  ...(changes && {
    changes: changes.map(({ member, from, to }) => ({
      member,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    })),
  }),
});
