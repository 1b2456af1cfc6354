import type { FormWords } from "../parts/field-words.ts";

// All words of the projects' pages.

export const LIST = {
  add: "Create project",
  columns: { name: "Name", slug: "Slug", plan: "Plan", address: "Address" },
} as const;

export const FIELDS = {
  name: "Name",
  slug: "Slug",
} as const;

/** Problems with a field. */
export const PROBLEMS: FormWords = {
  name: { missing: "Enter a name.", otherwise: "Enter a name without line breaks or tabs." },
  slug: {
    missing: "Enter a slug, such as docs.",
    otherwise: "Use lower-case letters, digits and hyphens. Begin and end with a letter or digit.",
    rules: {
      taken: "Another project has this slug. Choose another.",
      reserved: "This slug is reserved. Choose another.",
    },
  },
  plan: { missing: "Choose a plan." },
};

export const PROJECT = {
  deploys: "Deploys",
  settings: "Settings",
} as const;

export const DEPLOYS = {
  columns: { id: "Id", when: "When", state: "State", content: "Content", actions: "Actions" },
  rollBack: "Roll back",
  makeLive: "Make live",
  rollBackTo: (id: number) => `Roll back to deploy ${id}`,
  makeDeployLive: (id: number) => `Make deploy ${id} live`,
} as const;

export const UPLOAD = {
  unpacking: "Unpacking…",
  leaving: {
    title: "Cancel the upload?",
    text: "A site is being uploaded. If you leave now, nothing is deployed.",
    stay: "Keep uploading",
    leave: "Cancel the upload",
  },
} as const;
