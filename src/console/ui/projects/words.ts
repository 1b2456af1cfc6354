import type { FormWords } from "../parts/field-words.ts";

// All words of the projects' pages.

export const LIST = {
  title: "Projects",
  add: "Create project",
  purpose: "A project publishes a site. Create one, then upload its files.",
  table: "List of projects",
  columns: { name: "Name", slug: "Slug", plan: "Plan", address: "Address" },
  noDeploy: "Nothing deployed yet",
} as const;

export const FIELDS = {
  name: "Name",
  nameHint: "A name that people recognize.",
  slug: "Slug",
  slugHint:
    "The first part of its address: lower-case letters, digits and hyphens. You can't change it later.",
  plan: "Plan",
  planHint: "Custom domains need Pro or above.",
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

export const NEW = {
  title: "Create project",
  save: "Create project",
  created: (name: string) => `Project “${name}” created`,
} as const;

export const PROJECT = {
  loading: "Loading the project",
  back: "Back to projects",
  areas: "Parts of the project",
  deploys: "Deploys",
  settings: "Settings",
  domains: "Domains",
  history: "History",
  site: (slug: string, address: string) => `The site of ${slug}: ${address}`,
  noDeploy: (address: string) => `${address}: nothing deployed yet`,
  noPage: "There is no page at this address.",
} as const;

export const DEPLOYS = {
  table: "List of deploys",
  columns: { id: "Id", when: "When", state: "State", content: "Content", actions: "Actions" },
  live: "Live",
  succeeded: "Succeeded",
  failed: "Failed",
  preview: "Preview",
  previewOf: (id: number) => `Preview of deploy ${id}`,
  rollBack: "Roll back",
  makeLive: "Make live",
  rollBackTo: (id: number) => `Roll back to deploy ${id}`,
  makeDeployLive: (id: number) => `Make deploy ${id} live`,
  makeSomeLive: "Make a deploy live",
  isLive: (id: number) => `Deploy ${id} is already live.`,
  created: "It was created",
  content: (content: string) => `and has ${content}. Visitors see it at once.`,
  kept: (id: number) => `Deploy ${id} is kept, so that you can return to it.`,
  nowLive: (id: number) => `Deploy ${id} is now live`,
  noSuch: "There is no such deploy.",
} as const;

export const UPLOAD = {
  drop: "Drop an archive of the site here, or choose one: a .tar.gz or .zip with index.html at its root.",
  cancel: "Cancel",
  sent: "Sent",
  sending: (name: string) => `Sending ${name}…`,
  unpacking: "Unpacking…",
  done: (slug: string, content: string) => `Deployed to ${slug}: ${content}, now live`,
  view: "View deploys",
  leaving: {
    title: "Cancel the upload?",
    text: "A site is being uploaded. If you leave now, nothing is deployed.",
    stay: "Keep uploading",
    leave: "Cancel the upload",
  },
  notArchive: (name: string) => `${name} is neither a .tar.gz nor a .zip. Pack the site's folder first.`,
  cancelled: "The upload was cancelled. Nothing has changed.",
  interrupted: "The upload was interrupted. Check your connection, and whether the archive is too large.",
} as const;

export const SETTINGS = {
  about: "About this project",
  target: "CNAME target",
  copied: "the CNAME target",
  save: "Save",
  saved: "Settings saved",
  losesDomains:
    "Without Pro, the project's custom domains are suspended: visitors are no longer served there.",
  stops: (count: number) =>
    count === 1 ? "This domain stops immediately:" : `These ${count} domains stop immediately:`,
  confirmStop: (count: number) =>
    count === 1 ? "Stop serving this domain" : `Stop serving these ${count} domains`,
  delete: "Delete the project",
  deleteText: "Its site disappears immediately.",
  deleteButton: "Delete project",
} as const;

export const DELETE = {
  title: "Delete project",
  text: "and all its deploys and custom domains will be deleted permanently.",
  site: (address: string) => `Its site at ${address} disappears at once. This can't be undone.`,
  confirm: (slug: string) => `Type ${slug} to confirm`,
  isWrong: (slug: string) => `This is not the slug. Type ${slug}.`,
  button: "Delete project",
  deleted: (name: string) => `Project “${name}” deleted`,
} as const;
