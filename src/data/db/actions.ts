/** The actions in the audit log. The first half of an action is the kind of the resource. */
export const ACTIONS = {
  "pet.added": "An animal was added.",
  "pet.changed": "An animal's name, category or status was changed.",
  "pet.deleted": "An animal was deleted.",
  "photo.added": "A photo of an animal was added.",
  "photo.changed": "The text or the position of a photo was changed.",
  "photo.deleted": "A photo was deleted.",
  "pet.profile_changed":
    "Members of an animal's profile were changed. The entry names them, without their values.",
  "field.added": "A custom field was added.",
  "field.changed": "A custom field was changed.",
  "field.deleted": "A custom field was deleted, with its values.",
  "category.added": "A category was added.",
  "category.changed": "A category was renamed.",
  "category.deleted": "A category was deleted.",
  "order.placed": "An adoption was started: its animal became `pending`.",
  "order.approved": "An adoption was approved.",
  "order.completed": "An adoption was completed: its animal became `sold`.",
  "order.cancelled": "An adoption was cancelled: its animal became `available` again.",
  "order.returned": "The animal of a completed adoption came back: it became `available` or `pending`.",
  "order.erased": "The adopter, the note and the reason of a return were erased from an adoption.",
  "adopter.read":
    "A key or a person read adoptions with their adopters, over the API or at the console. One entry covers all reads of up to an hour, and counts the adoptions in their responses.",
  "import.started": "The command `import` began to add animals from a file.",
  "import.finished": "An import ended. Its animals have no separate entries.",
  "import.undone": "The command `import --undo` restored the animals that an import had changed.",
  "export.animals": "The command `export` wrote animals to a file or to standard output.",
  "export.adopters": "The command `orders list` printed adoptions with their adopters.",
  "backup.taken": "The command `backup` or the server's schedule took a backup.",
  "backup.restored": "The command `restore` replaced the database with a backup.",
  "key.created": "An API key was created.",
  "key.rotated": "An API key got a new secret.",
  "key.revoked": "An API key was revoked.",
  "person.added": "A person was added and invited.",
  "person.invited": "A person was invited again.",
  "person.joined": "A person accepted their invitation, or signed in with an account for the first time.",
  "person.changed": "A person's name or role was changed.",
  "person.passkey_added": "A person added another passkey.",
  "person.passkey_removed": "A passkey of a person was removed.",
  "person.removed": "A person was removed.",
  "session.opened": "A person, an API key or the operator signed in to the console.",
  "session.closed":
    "A session of the console was ended: by signing out, from another session of the same user, or by a new session beyond the limit.",
  "session.refused":
    "Attempts to sign in to the console failed. One entry covers all attempts of up to ten minutes, and names up to 20 clients with the number of their attempts.",
  "project.created": "A project was created.",
  "project.changed": "A project's name or plan was changed.",
  "project.deleted": "A project was deleted, with its deploys and domains.",
  "deploy.published": "A deploy was uploaded and is served.",
  "deploy.activated": "An earlier deploy is served again.",
  "deploy.deleted": "A deploy was deleted.",
  "domain.added": "A custom domain was added.",
  "domain.changed":
    "A custom domain became the primary one, serves the site, or redirects to the primary one.",
  "domain.checked": "A requested check changed the stage of a custom domain.",
  "domain.noticed":
    "The service noticed that a problem with a host name began or ended. `domain_failing`: a live domain no longer verifies. `renewal_failed`: a certificate could not be renewed. `orders_failed`: three orders in a row failed. `certificate_overdue`: a host name has no certificate after 30 minutes.",
  "domain.removed": "A custom domain was removed.",
} as const;

export type Action = keyof typeof ACTIONS;

export type ResourceKind = Action extends `${infer Kind}.${string}` ? Kind : never;

export const ACTION_NAMES = Object.keys(ACTIONS) as [Action, ...Action[]];

export const resourceOf = (action: Action): ResourceKind =>
  action.slice(0, action.indexOf(".")) as ResourceKind;

export const RESOURCE_KINDS = [...new Set(ACTION_NAMES.map(resourceOf))] as [ResourceKind, ...ResourceKind[]];
