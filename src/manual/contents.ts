import index from "./index.md" with { type: "text" };
import addingAColumn from "./contributing/adding-a-column.md" with { type: "text" };
import addingAMigration from "./contributing/adding-a-migration.md" with { type: "text" };
import addingAnOperation from "./contributing/adding-an-operation.md" with { type: "text" };
import addingASetting from "./contributing/adding-a-setting.md" with { type: "text" };
import architecture from "./contributing/architecture.md" with { type: "text" };
import architecturePicture from "./contributing/architecture.svg" with { type: "text" };
import debugging from "./contributing/debugging.md" with { type: "text" };
import decisions from "./contributing/decisions.md" with { type: "text" };

/** The source of one page. Its first line is `# Title`, and its first paragraph says what it answers. */
export interface Source {
  /** The last part of its address. */
  name: string;
  text: string;
}

export interface Section {
  /** The directory of its pages. */
  name: string;
  title: string;
  /** In the order of the sidebar. */
  pages: readonly Source[];
}

export const INDEX: Source = { name: "index", text: index };

/** The table of contents, in the order of the sidebar. A new page is a file, its import, and a row here. */
export const CONTENTS: readonly Section[] = [
  { name: "tutorials", title: "Tutorials", pages: [] },
  { name: "how-to", title: "How-to guides", pages: [] },
  { name: "reference", title: "Reference", pages: [] },
  { name: "background", title: "Background", pages: [] },
  {
    name: "contributing",
    title: "Contributing",
    pages: [
      { name: "architecture", text: architecture },
      { name: "adding-a-column", text: addingAColumn },
      { name: "adding-an-operation", text: addingAnOperation },
      { name: "adding-a-setting", text: addingASetting },
      { name: "adding-a-migration", text: addingAMigration },
      { name: "debugging", text: debugging },
      { name: "decisions", text: decisions },
    ],
  },
];

/** The pictures of the pages, by their path below this directory. */
export const PICTURES: Readonly<Record<string, string>> = {
  "contributing/architecture.svg": architecturePicture,
};
