/** A deploy of a project, served at a dedicated address. */
export interface Preview {
  slug: string;
  deployId: number;
}

/** RFC 1035 section 2.3.4. */
const MAX_LABEL_LENGTH = 63;
/** RFC 5890 section 2.3.1 reserves labels with hyphens in the third and fourth place, so no id has two digits. */
const MIN_DIGITS = 3;

/** The DNS label of a preview: `012--docs`. @returns undefined if it is longer than a label can be */
export const previewLabel = ({ slug, deployId }: Preview): string | undefined => {
  const label = `${String(deployId).padStart(MIN_DIGITS, "0")}--${slug}`;
  return label.length > MAX_LABEL_LENGTH ? undefined : label;
};

/** Reads what `previewLabel` made; undefined for every other label. */
export const parsePreviewLabel = (label: string): Preview | undefined => {
  const [, digits, slug] = /^(\d{3,16})--(.+)$/.exec(label) ?? [];
  if (digits === undefined || slug === undefined) return undefined;
  const preview = { slug, deployId: Number(digits) };
  return previewLabel(preview) === label ? preview : undefined;
};

/** How the labels of previews begin. No new project may have such a slug. */
export const PREVIEW_PREFIX = "^[0-9]+--";
