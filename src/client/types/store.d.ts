// Written by `bun run client:types` from the store's OpenAPI document: nothing here is written by hand.

export interface paths {
  "/pets": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List animals
     * @description Returns a page of animals in ascending order of id, unless `sort` says otherwise. If more follow, the `Link` header has the address of the next page (`rel="next"`). Use that address unchanged. With `ids`, a list of at most 50 animals has the entity tag of each in `Item-ETags`, for the header `If-Match` of a change. An animal without a status is listed, but no status filter selects it. Requires the scope `pets:read`.
     */
    get: operations["listPets"];
    put?: never;
    /**
     * Add an animal
     * @description Adds an animal. It is on disk before the response is sent. Requires the scope `pets:write`.
     */
    post: operations["createPet"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/pets/{petId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one animal
     * @deprecated
     * @description Returns one animal by id. This operation is deprecated and will be removed on 5 December 2030. Use `GET /pets` with the status filter instead. Requires the scope `pets:read`.
     */
    get: operations["getPet"];
    put?: never;
    post?: never;
    /**
     * Delete an animal
     * @description Deletes an animal. The deletion is on disk before the response is sent, and the id is never used again. An animal that an open order holds can't be deleted. Requires the scope `pets:write`.
     */
    delete: operations["deletePet"];
    options?: never;
    head?: never;
    /**
     * Change an animal
     * @description Applies a JSON merge patch (RFC 7396). Absent fields keep their value, and `null` clears the status. While an open order holds the animal, only the order can change its status. The change is on disk before the response is sent. Requires the scope `pets:write`.
     */
    patch: operations["changePet"];
    trace?: never;
  };
  "/pets/changes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Change many animals
     * @description Makes up to 100 changes in one transaction. Each succeeds or fails on its own, as with `PATCH /pets/{petId}`, and has a result: the changed animal with its new entity tag, or the error. The response is 200 even if changes were refused. The changes are on disk before the response is sent. Requires the scope `pets:write`.
     */
    post: operations["changePets"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/pets/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Stream changes to animals
     * @description Sends server-sent events: `added`, `changed` and `deleted`. Each event has an id. Its `data` is the current animal, or only the id of a deleted one.
     *
     *     The stream starts with the next change. To resume, send `Last-Event-ID`: the stream starts after that event. If later events are missing, the first event is `reset`: list the animals again. The service keeps the newest 1,000,000 events. A restored backup has none.
     *
     *     A comment every 15 seconds keeps the connection open. A key or person can have 200 open streams, and all of them together 1,000, unless the operator sets `EVENT_STREAMS_PER_KEY` and `EVENT_STREAMS`.
     *
     *     Requires the scope `pets:read`.
     */
    get: operations["streamPets"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/statistics/categories": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count the animals of each category
     * @description Returns a page of categories with the number of their animals, after every acknowledged write. Categories without animals are listed too. Animals whose category has no record are not: count them with `GET /statistics?categoryId=`. Requires the scope `pets:read`.
     */
    get: operations["getCategoryStatistics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/statistics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count the animals
     * @description Counts animals by status and by the day they were added, after every acknowledged write. `q` and `categoryId` select the animals of `total` and `byStatus`. `addedByDay` always counts all animals. Requires the scope `pets:read`.
     */
    get: operations["getStatistics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/categories": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List categories
     * @description Returns a page of categories in ascending order of id. If more follow, the `Link` header has the address of the next page. Requires the scope `pets:read`.
     */
    get: operations["listCategories"];
    put?: never;
    /**
     * Add a category
     * @description Adds a category. Names are unique. Case, compatible forms of a letter (NFKC) and the amount of white space make no difference. The category is on disk before the response is sent. Requires the scope `pets:write`.
     */
    post: operations["createCategory"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/categories/{categoryId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one category
     * @description Returns one category by id. A category can be missing although animals refer to its id. Requires the scope `pets:read`.
     */
    get: operations["getCategory"];
    put?: never;
    post?: never;
    /**
     * Delete a category
     * @description Deletes a category that has no animals. Its id is never used again. Requires the scope `pets:write`.
     */
    delete: operations["deleteCategory"];
    options?: never;
    head?: never;
    /**
     * Rename a category
     * @description Applies a JSON merge patch (RFC 7396). The animals stay in the category. Requires the scope `pets:write`.
     */
    patch: operations["changeCategory"];
    trace?: never;
  };
  "/store/orders": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List adoptions
     * @description Returns a page of adoptions: the oldest first, or with `sort=-id` the newest first. If more follow, the `Link` header has the address of the next page. Use that address unchanged. Requires the scope `orders:read`.
     */
    get: operations["listOrders"];
    put?: never;
    /**
     * Start an adoption
     * @description Places an order for an animal. The animal must be `available`, and becomes `pending` in the same atomic step. If several clients order one animal at the same time, one succeeds. Both changes are on disk before the response is sent. Requires the scope `orders:write`.
     */
    post: operations["placeOrder"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/store/statistics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count the adoptions
     * @description Counts adoptions by status: all of them, or those that match `q` and `petId`. The counts include every write that was acknowledged before the request. Requires the scope `orders:read`.
     */
    get: operations["getOrderStatistics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/store/orders/{orderId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one adoption
     * @description Returns one adoption with its adopter, unless the adopter's data was erased. Requires the scope `orders:read`.
     */
    get: operations["getOrder"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/store/orders/{orderId}/approve": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Approve an adoption
     * @description Approves an adoption that is `placed`. The animal stays `pending`. The response contains `adopter` and `note` only if the key has the scope `orders:read`. Requires the scope `orders:write`.
     */
    post: operations["approveOrder"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/store/orders/{orderId}/complete": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Complete an adoption
     * @description Completes an adoption that is `approved`. The animal becomes `sold` in the same atomic step. The response contains `adopter` and `note` only if the key has the scope `orders:read`. Requires the scope `orders:write`.
     */
    post: operations["completeOrder"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/store/orders/{orderId}/cancel": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel an adoption
     * @description Cancels an adoption that is `placed` or `approved`. A `pending` animal becomes `available` in the same atomic step. The response contains `adopter` and `note` only if the key has the scope `orders:read`. Requires the scope `orders:write`.
     */
    post: operations["cancelOrder"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/pets/{petId}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of an animal
     * @description Returns what happened to an animal, newest first; with the scope `orders:read` its adoptions too. A deleted animal keeps its history. An unknown one has none. Only callers with the scope `audit:read` see who made a change. Others see only whether it was a key or a person. If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed. Requires the scope `pets:read`.
     */
    get: operations["listPetHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/categories/{categoryId}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of a category
     * @description Returns what happened to a category, newest first. A deleted category keeps its history. An unknown one has none. Only callers with the scope `audit:read` see who made a change. Others see only whether it was a key or a person. If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed. Requires the scope `pets:read`.
     */
    get: operations["listCategoryHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/store/orders/{orderId}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of an order
     * @description Returns the steps of an adoption, newest first. It never contains the adopter. An unknown order has none. Only callers with the scope `audit:read` see who made a change. Others see only whether it was a key or a person. If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed. Requires the scope `orders:read`.
     */
    get: operations["listOrderHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description Every error has this form. */
    Error: {
      /** @description Machine-readable error code. */
      code: string;
      /** @description Human-readable description. */
      message: string;
      /** @description The HTTP status code of the response. */
      status: number;
    };
    /** @description Animals in ascending order of id, or as `sort` says. */
    Pets: components["schemas"]["Pet"][];
    /** @description An animal offered for adoption. */
    Pet: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service on creation.
       */
      id: number;
      /** @description The animal's name. It must contain more than white space. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to. In JavaScript, parse it as a BigInt: numbers lose digits beyond 2^53.
       */
      categoryId: number | bigint;
      status?: components["schemas"]["PetStatus"];
    };
    /**
     * @description Availability status.
     * @enum {string}
     */
    PetStatus: "available" | "pending" | "sold";
    /** @description An animal to add. */
    NewPet: {
      /** @description The animal's name. It must contain more than white space. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to. In JavaScript, parse it as a BigInt: numbers lose digits beyond 2^53.
       */
      categoryId: number | bigint;
      status?: components["schemas"]["PetStatus"];
    };
    /** @description The fields to change. Absent fields keep their value (RFC 7396). */
    PetChange: {
      /** @description The animal's name. It must contain more than white space. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name?: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to. In JavaScript, parse it as a BigInt: numbers lose digits beyond 2^53.
       */
      categoryId?: number | bigint;
      /** @description Availability status. `null` clears it. */
      status?: components["schemas"]["PetStatus"] | null;
    };
    /** @description Changes of animals. */
    PetChanges: {
      /** @description The changes, made in this order. */
      changes: components["schemas"]["RequestedPetChange"][];
    };
    /** @description A change of one animal. */
    RequestedPetChange: {
      /**
       * Format: int64
       * @description Id of the animal to change.
       */
      id: number;
      /** @description As the header `If-Match` of a single change: the animal's entity tag. */
      ifMatch?: string;
      change: components["schemas"]["PetChange"];
    };
    /** @description A result for each change, in the same order. */
    PetChangeResults: components["schemas"]["PetChangeResult"][];
    /** @description `pet` and `etag` of a changed animal; `error` if it was not changed. */
    PetChangeResult: {
      /**
       * Format: int64
       * @description Id of the animal.
       */
      id: number;
      pet?: components["schemas"]["Pet"];
      /** @description The entity tag of the changed animal. */
      etag?: string;
      error?: components["schemas"]["Error"];
    };
    /** @description Categories in ascending order of id. */
    CategoryStatistics: components["schemas"]["CategoryCounts"][];
    /** @description The number of animals in a category. */
    CategoryCounts: {
      /**
       * Format: int64
       * @description The id of the category.
       */
      id: number;
      /** @description The name of the category. */
      name: string;
      /** @description Number of animals in the category. */
      total: number;
      byStatus: components["schemas"]["StatusCounts"];
    };
    /** @description The number of animals by status. */
    StatusCounts: {
      /** @description Number of animals that can be adopted. */
      available: number;
      /** @description Number of animals with an adoption in progress. */
      pending: number;
      /** @description Number of adopted animals. */
      sold: number;
      /** @description Number of animals without a status. */
      none: number;
    };
    /** @description The number of animals. */
    Statistics: {
      /** @description Number of animals. */
      total: number;
      byStatus: components["schemas"]["StatusCounts"];
      /** @description All animals by the day they were added: the last 30 days, oldest first. The last one is today. */
      addedByDay: components["schemas"]["AddedOnDay"][];
    };
    /** @description The number of animals added on one day. */
    AddedOnDay: {
      /**
       * Format: date
       * @description The day, in UTC.
       */
      date: string;
      /** @description Number of animals added on this day. */
      count: number;
    };
    /** @description Categories in ascending order of id. */
    Categories: components["schemas"]["Category"][];
    /** @description A category of animals. */
    Category: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service. Animals refer to it in `categoryId`.
       */
      id: number;
      /** @description The name of the category. Names are unique, and case and spacing make no difference. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
    };
    /** @description A category to add. */
    NewCategory: {
      /** @description The name of the category. Names are unique, and case and spacing make no difference. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
    };
    /** @description The fields to change. Absent fields keep their value (RFC 7396). */
    CategoryChange: {
      /** @description The name of the category. Names are unique, and case and spacing make no difference. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name?: string;
    };
    /** @description Adoptions, in the order that `sort` asked for. */
    Orders: components["schemas"]["Order"][];
    /** @description An adoption. Only keys with the scope `orders:read` see `adopter` and `note`. Both are absent after the adopter's data was erased. */
    Order: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service.
       */
      id: number;
      /**
       * Format: int64
       * @description Id of the animal. After the order is closed, the animal can be deleted.
       */
      petId: number;
      adopter?: components["schemas"]["Adopter"];
      /** @description A note about this adoption. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). Tabs and line breaks are allowed. */
      note?: string;
      status: components["schemas"]["OrderStatus"];
      /**
       * Format: date-time
       * @description When the order was placed.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the status last changed.
       */
      updatedAt: string;
    };
    /** @description The person who adopts the animal. */
    Adopter: {
      /** @description The adopter's name. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /** @description The adopter's email address. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      email: string;
    };
    /**
     * @description The progress of the adoption.
     * @enum {string}
     */
    OrderStatus: "placed" | "approved" | "completed" | "cancelled";
    /** @description The number of adoptions. */
    OrderStatistics: {
      /** @description Number of adoptions. */
      total: number;
      byStatus: components["schemas"]["OrderStatusCounts"];
    };
    /** @description The number of adoptions by status. */
    OrderStatusCounts: {
      /** @description Number of adoptions that wait for approval. */
      placed: number;
      /** @description Number of adoptions that were approved and not completed. */
      approved: number;
      /** @description Number of completed adoptions. */
      completed: number;
      /** @description Number of cancelled adoptions. */
      cancelled: number;
    };
    /** @description An adoption to start. */
    NewOrder: {
      /**
       * Format: int64
       * @description Id of the animal to adopt.
       */
      petId: number;
      adopter: components["schemas"]["NewAdopter"];
      /** @description A note about this adoption. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). Tabs and line breaks are allowed. */
      note?: string;
    };
    /** @description The person who wants to adopt the animal. */
    NewAdopter: {
      /** @description The adopter's name. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /** @description The adopter's email address. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      email: string;
    };
    /** @description Entries of the audit log, newest first. */
    AuditEntries: components["schemas"]["AuditEntry"][];
    /** @description Who did what, and when. */
    AuditEntry: {
      /**
       * Format: int64
       * @description Unique identifier. Newer entries have higher ids.
       */
      id: number;
      /**
       * Format: date-time
       * @description When it happened.
       */
      at: string;
      actor: components["schemas"]["AuditActor"];
      /**
       * @description What was done. `pet.added`: An animal was added. `pet.changed`: An animal's name, category or status was changed. `pet.deleted`: An animal was deleted. `category.added`: A category was added. `category.changed`: A category was renamed. `category.deleted`: A category was deleted. `order.placed`: An adoption was started: its animal became `pending`. `order.approved`: An adoption was approved. `order.completed`: An adoption was completed: its animal became `sold`. `order.cancelled`: An adoption was cancelled: its animal became `available` again. `order.erased`: The adopter and the note of an adoption were erased. `adopter.read`: A key or a person read adoptions with their adopters, over the API or at the console. One entry covers all reads of up to an hour, and counts the adoptions in their responses. `import.started`: The command `import` began to add animals from a file. `import.finished`: An import ended. Its animals have no separate entries. `export.animals`: The command `export` wrote animals to a file or to standard output. `export.adopters`: The command `orders list` printed adoptions with their adopters. `backup.taken`: The command `backup` or the server's schedule took a backup. `backup.restored`: The command `restore` replaced the database with a backup. `key.created`: An API key was created. `key.rotated`: An API key got a new secret. `key.revoked`: An API key was revoked. `person.added`: A person was added and invited. `person.invited`: A person was invited again. `person.joined`: A person accepted their invitation, or signed in with an account for the first time. `person.changed`: A person's name or role was changed. `person.passkey_added`: A person added another passkey. `person.passkey_removed`: A passkey of a person was removed. `person.removed`: A person was removed. `session.opened`: A person, an API key or the operator signed in to the console. `session.closed`: A session of the console was ended: by signing out, from another session of the same user, or by a new session beyond the limit. `session.refused`: Attempts to sign in to the console failed. One entry covers all attempts of up to ten minutes, and names up to 20 clients with the number of their attempts. `project.created`: A project was created. `project.changed`: A project's name or plan was changed. `project.deleted`: A project was deleted, with its deploys and domains. `deploy.published`: A deploy was uploaded and is served. `deploy.activated`: An earlier deploy is served again. `deploy.deleted`: A deploy was deleted. `domain.added`: A custom domain was added. `domain.changed`: A custom domain became the primary one, serves the site, or redirects to the primary one. `domain.checked`: A requested check changed the stage of a custom domain. `domain.noticed`: The service noticed that a problem with a host name began or ended. `domain_failing`: a live domain no longer verifies. `renewal_failed`: a certificate could not be renewed. `orders_failed`: three orders in a row failed. `certificate_overdue`: a host name has no certificate after 30 minutes. `domain.removed`: A custom domain was removed.
       * @enum {string}
       */
      action:
        | "pet.added"
        | "pet.changed"
        | "pet.deleted"
        | "category.added"
        | "category.changed"
        | "category.deleted"
        | "order.placed"
        | "order.approved"
        | "order.completed"
        | "order.cancelled"
        | "order.erased"
        | "adopter.read"
        | "import.started"
        | "import.finished"
        | "export.animals"
        | "export.adopters"
        | "backup.taken"
        | "backup.restored"
        | "key.created"
        | "key.rotated"
        | "key.revoked"
        | "person.added"
        | "person.invited"
        | "person.joined"
        | "person.changed"
        | "person.passkey_added"
        | "person.passkey_removed"
        | "person.removed"
        | "session.opened"
        | "session.closed"
        | "session.refused"
        | "project.created"
        | "project.changed"
        | "project.deleted"
        | "deploy.published"
        | "deploy.activated"
        | "deploy.deleted"
        | "domain.added"
        | "domain.changed"
        | "domain.checked"
        | "domain.noticed"
        | "domain.removed";
      resource: components["schemas"]["AuditResource"];
      /** @description The changed fields; for most actions none. */
      changes: components["schemas"]["AuditChange"][];
    };
    /** @description Who did it. */
    AuditActor: {
      /**
       * @description `key`: an API key. `person`: a person at the console. `operator`: the command line, or a user of its sign-in link. `service`: the service itself.
       * @enum {string}
       */
      kind: "key" | "person" | "operator" | "service";
      /**
       * Format: int64
       * @description Id of the API key or person. In histories, only for callers with the scope `audit:read`.
       */
      id?: number;
      /** @description Name of the API key or person at that time. In histories, only for callers with the scope `audit:read`. */
      name?: string;
    };
    /** @description What it was done to. */
    AuditResource: {
      /**
       * @description What kind of thing it is.
       * @enum {string}
       */
      kind:
        | "pet"
        | "category"
        | "order"
        | "adopter"
        | "import"
        | "export"
        | "backup"
        | "key"
        | "person"
        | "session"
        | "project"
        | "deploy"
        | "domain";
      /** @description As in the path of the resource: an id, a slug or a host name. */
      id: string;
      /** @description Its name at that time; for an order, the name of its animal. */
      name?: string;
      parent?: components["schemas"]["AuditParent"];
    };
    /** @description What it belongs to: the animal of an order, or the project of a deploy or domain. */
    AuditParent: {
      /**
       * @description What kind of thing it is.
       * @enum {string}
       */
      kind:
        | "pet"
        | "category"
        | "order"
        | "adopter"
        | "import"
        | "export"
        | "backup"
        | "key"
        | "person"
        | "session"
        | "project"
        | "deploy"
        | "domain";
      /** @description As in the path of the resource: an id, a slug or a host name. */
      id: string;
    };
    /** @description A changed field. */
    AuditChange: {
      /** @description The field. */
      field: string;
      /** @description Its value before, as text. Absent if it had none. */
      from?: string;
      /** @description Its value after, as text. Absent if it has none. */
      to?: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listPets: {
    parameters: {
      query?: {
        /** @description Maximum number of animals returned. */
        limit?: number;
        /** @description Filter by availability status. */
        status?: components["schemas"]["PetStatus"];
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
        /** @description Filter by category. */
        categoryId?: number | bigint;
        /** @description Search by name: up to eight words. Each must be the beginning of a word in the name. A number also finds the animal with this id. Case and accents make no difference, nor does a stroke through a letter. Everything but letters and digits is ignored: without any, the search finds all animals. */
        q?: string;
        /** @description Filter by id: 1 to 100 ids, separated by commas. Unknown ids are ignored. */
        ids?: string;
        /** @description The order: by id, oldest first, or by name without regard to case and accents, and then by id. `-` reverses it. */
        sort?: "id" | "-id" | "name" | "-name";
      };
      header?: {
        /** @description Entity tags, or `*`. If one of them is the current `ETag`, the response is 304, without a body. */
        "If-None-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The list of animals. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 7,
           *         "name": "Bella",
           *         "categoryId": 3,
           *         "status": "available"
           *       },
           *       {
           *         "id": 8,
           *         "name": "Rex",
           *         "categoryId": 1
           *       }
           *     ]
           */
          "application/json": components["schemas"]["Pets"];
        };
      };
      /** @description Not modified: the client already has the current version. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createPet: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Bella",
         *       "categoryId": 3,
         *       "status": "available"
         *     }
         */
        "application/json": components["schemas"]["NewPet"];
      };
    };
    responses: {
      /** @description Animal added; the body carries the assigned id. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Bella",
           *       "categoryId": 3,
           *       "status": "available"
           *     }
           */
          "application/json": components["schemas"]["Pet"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getPet: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If one of them is the current `ETag`, the response is 304, without a body. */
        "If-None-Match"?: string;
      };
      path: {
        /** @description Id of the animal to retrieve. */
        petId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The requested animal. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Bella",
           *       "categoryId": 3,
           *       "status": "available"
           *     }
           */
          "application/json": components["schemas"]["Pet"];
        };
      };
      /** @description Not modified: the client already has the current version. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deletePet: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes, and the response is 412. */
        "If-Match"?: string;
      };
      path: {
        /** @description Id of the animal to delete. */
        petId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The animal is deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  changePet: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes, and the response is 412. */
        "If-Match"?: string;
      };
      path: {
        /** @description Id of the animal to update. */
        petId: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "status": "sold"
         *     }
         */
        "application/json": components["schemas"]["PetChange"];
        /**
         * @example {
         *       "status": "sold"
         *     }
         */
        "application/merge-patch+json": components["schemas"]["PetChange"];
      };
    };
    responses: {
      /** @description The changed animal. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 7,
           *       "name": "Bella",
           *       "categoryId": 3,
           *       "status": "sold"
           *     }
           */
          "application/json": components["schemas"]["Pet"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  changePets: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "changes": [
         *         {
         *           "id": 7,
         *           "ifMatch": "\"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE\"",
         *           "change": {
         *             "status": "sold"
         *           }
         *         },
         *         {
         *           "id": 9,
         *           "change": {
         *             "categoryId": 3
         *           }
         *         }
         *       ]
         *     }
         */
        "application/json": components["schemas"]["PetChanges"];
      };
    };
    responses: {
      /** @description A result for each change. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 7,
           *         "pet": {
           *           "id": 7,
           *           "name": "Bella",
           *           "categoryId": 3,
           *           "status": "sold"
           *         },
           *         "etag": "\"wM3nTq8cLr0vZs6aXy1bGd5eFh2\""
           *       },
           *       {
           *         "id": 9,
           *         "error": {
           *           "code": "not_found",
           *           "message": "There is no animal with this id.",
           *           "status": 404
           *         }
           *       }
           *     ]
           */
          "application/json": components["schemas"]["PetChangeResults"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  streamPets: {
    parameters: {
      query?: {
        /** @description The same as the header `Last-Event-ID`, for clients that can't send it. The header takes precedence. */
        lastEventId?: string;
      };
      header?: {
        /** @description Id of the last event that the client has read. The stream resumes after it. */
        "Last-Event-ID"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The stream. It ends if the key expires or is revoked, and when the server stops. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example retry: 2000
           *
           *     id: 1234
           *     event: added
           *     data: {"id":7,"name":"Bella","categoryId":3,"status":"available"}
           */
          "text/event-stream": unknown;
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getCategoryStatistics: {
    parameters: {
      query?: {
        /** @description Maximum number of categories returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The categories and their counts. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 3,
           *         "name": "Dogs",
           *         "total": 12,
           *         "byStatus": {
           *           "available": 8,
           *           "pending": 1,
           *           "sold": 3,
           *           "none": 0
           *         }
           *       }
           *     ]
           */
          "application/json": components["schemas"]["CategoryStatistics"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getStatistics: {
    parameters: {
      query?: {
        /** @description Search by name: up to eight words. Each must be the beginning of a word in the name. A number also finds the animal with this id. Case and accents make no difference, nor does a stroke through a letter. Everything but letters and digits is ignored: without any, the search finds all animals. */
        q?: string;
        /** @description Count the animals of this category. */
        categoryId?: number | bigint;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The counts. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "total": 1234,
           *       "byStatus": {
           *         "available": 800,
           *         "pending": 30,
           *         "sold": 400,
           *         "none": 4
           *       },
           *       "addedByDay": [
           *         {
           *           "date": "2026-10-22",
           *           "count": 0
           *         },
           *         {
           *           "date": "2026-10-23",
           *           "count": 5
           *         },
           *         {
           *           "date": "2026-10-24",
           *           "count": 3
           *         },
           *         {
           *           "date": "2026-10-25",
           *           "count": 1
           *         },
           *         {
           *           "date": "2026-10-26",
           *           "count": 6
           *         },
           *         {
           *           "date": "2026-10-27",
           *           "count": 4
           *         },
           *         {
           *           "date": "2026-10-28",
           *           "count": 2
           *         },
           *         {
           *           "date": "2026-10-29",
           *           "count": 0
           *         },
           *         {
           *           "date": "2026-10-30",
           *           "count": 5
           *         },
           *         {
           *           "date": "2026-10-31",
           *           "count": 3
           *         },
           *         {
           *           "date": "2026-11-01",
           *           "count": 1
           *         },
           *         {
           *           "date": "2026-11-02",
           *           "count": 6
           *         },
           *         {
           *           "date": "2026-11-03",
           *           "count": 4
           *         },
           *         {
           *           "date": "2026-11-04",
           *           "count": 2
           *         },
           *         {
           *           "date": "2026-11-05",
           *           "count": 0
           *         },
           *         {
           *           "date": "2026-11-06",
           *           "count": 5
           *         },
           *         {
           *           "date": "2026-11-07",
           *           "count": 3
           *         },
           *         {
           *           "date": "2026-11-08",
           *           "count": 1
           *         },
           *         {
           *           "date": "2026-11-09",
           *           "count": 6
           *         },
           *         {
           *           "date": "2026-11-10",
           *           "count": 4
           *         },
           *         {
           *           "date": "2026-11-11",
           *           "count": 2
           *         },
           *         {
           *           "date": "2026-11-12",
           *           "count": 0
           *         },
           *         {
           *           "date": "2026-11-13",
           *           "count": 5
           *         },
           *         {
           *           "date": "2026-11-14",
           *           "count": 3
           *         },
           *         {
           *           "date": "2026-11-15",
           *           "count": 1
           *         },
           *         {
           *           "date": "2026-11-16",
           *           "count": 6
           *         },
           *         {
           *           "date": "2026-11-17",
           *           "count": 4
           *         },
           *         {
           *           "date": "2026-11-18",
           *           "count": 2
           *         },
           *         {
           *           "date": "2026-11-19",
           *           "count": 0
           *         },
           *         {
           *           "date": "2026-11-20",
           *           "count": 5
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Statistics"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listCategories: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The categories. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 3,
           *         "name": "Dogs"
           *       }
           *     ]
           */
          "application/json": components["schemas"]["Categories"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createCategory: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Dogs"
         *     }
         */
        "application/json": components["schemas"]["NewCategory"];
      };
    };
    responses: {
      /** @description The new category, with its id. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "name": "Dogs"
           *     }
           */
          "application/json": components["schemas"]["Category"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getCategory: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If one of them is the current `ETag`, the response is 304, without a body. */
        "If-None-Match"?: string;
      };
      path: {
        /** @description Id of the category. */
        categoryId: number | bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The requested category. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "name": "Dogs"
           *     }
           */
          "application/json": components["schemas"]["Category"];
        };
      };
      /** @description Not modified: the client already has the current version. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteCategory: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes, and the response is 412. */
        "If-Match"?: string;
      };
      path: {
        /** @description Id of the category. */
        categoryId: number | bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The category is deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  changeCategory: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes, and the response is 412. */
        "If-Match"?: string;
      };
      path: {
        /** @description Id of the category. */
        categoryId: number | bigint;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "Puppies"
         *     }
         */
        "application/json": components["schemas"]["CategoryChange"];
        /**
         * @example {
         *       "name": "Puppies"
         *     }
         */
        "application/merge-patch+json": components["schemas"]["CategoryChange"];
      };
    };
    responses: {
      /** @description The renamed category. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "name": "Puppies"
           *     }
           */
          "application/json": components["schemas"]["Category"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listOrders: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Filter by status. */
        status?: components["schemas"]["OrderStatus"];
        /** @description Filter by animal. */
        petId?: number;
        /** @description Search for a person or an animal: up to eight words. Each must be the beginning of a word in the adopter's name, in their email address or in the animal's name. A number also finds the adoption with this id. Case and accents make no difference, and everything but letters and digits is ignored: without any, the search finds all adoptions. */
        q?: string;
        /** @description The order of the list: `id` for the oldest first, `-id` for the newest first. */
        sort?: "id" | "-id";
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The adoptions. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 1,
           *         "petId": 7,
           *         "adopter": {
           *           "name": "Ada Byron",
           *           "email": "ada@example.org"
           *         },
           *         "note": "Has a garden, and a cat of 12.",
           *         "status": "placed",
           *         "createdAt": "2026-11-20T09:30:00.000Z",
           *         "updatedAt": "2026-11-20T09:30:00.000Z"
           *       }
           *     ]
           */
          "application/json": components["schemas"]["Orders"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  placeOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "petId": 7,
         *       "adopter": {
         *         "name": "Ada Byron",
         *         "email": "ada@example.org"
         *       },
         *       "note": "Has a garden, and a cat of 12."
         *     }
         */
        "application/json": components["schemas"]["NewOrder"];
      };
    };
    responses: {
      /** @description The new adoption. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 1,
           *       "petId": 7,
           *       "adopter": {
           *         "name": "Ada Byron",
           *         "email": "ada@example.org"
           *       },
           *       "note": "Has a garden, and a cat of 12.",
           *       "status": "placed",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "updatedAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Order"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getOrderStatistics: {
    parameters: {
      query?: {
        /** @description Filter by animal. */
        petId?: number;
        /** @description Search for a person or an animal: up to eight words. Each must be the beginning of a word in the adopter's name, in their email address or in the animal's name. A number also finds the adoption with this id. Case and accents make no difference, and everything but letters and digits is ignored: without any, the search finds all adoptions. */
        q?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The counts. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "total": 447,
           *       "byStatus": {
           *         "placed": 12,
           *         "approved": 5,
           *         "completed": 400,
           *         "cancelled": 30
           *       }
           *     }
           */
          "application/json": components["schemas"]["OrderStatistics"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the order. */
        orderId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The requested adoption. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 1,
           *       "petId": 7,
           *       "adopter": {
           *         "name": "Ada Byron",
           *         "email": "ada@example.org"
           *       },
           *       "note": "Has a garden, and a cat of 12.",
           *       "status": "placed",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "updatedAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Order"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  approveOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote. */
        "Idempotency-Key"?: string;
      };
      path: {
        /** @description Id of the order. */
        orderId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The adoption after this step. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 1,
           *       "petId": 7,
           *       "status": "approved",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "updatedAt": "2026-11-21T10:00:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Order"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  completeOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote. */
        "Idempotency-Key"?: string;
      };
      path: {
        /** @description Id of the order. */
        orderId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The adoption after this step. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 1,
           *       "petId": 7,
           *       "status": "completed",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "updatedAt": "2026-11-21T10:00:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Order"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  cancelOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes a retry safe (draft-ietf-httpapi-idempotency-key-header). Choose a new key for each action, such as a UUID. The response is stored for 24 hours. A retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, a retry gets 409. The quotes can be omitted if the key has no space, comma or quote. */
        "Idempotency-Key"?: string;
      };
      path: {
        /** @description Id of the order. */
        orderId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The adoption after this step. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 1,
           *       "petId": 7,
           *       "status": "cancelled",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "updatedAt": "2026-11-21T10:00:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Order"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listPetHistory: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Id of the animal. */
        petId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 44,
           *         "at": "2026-11-20T09:32:00.000Z",
           *         "actor": {
           *           "kind": "key",
           *           "id": 3,
           *           "name": "front desk"
           *         },
           *         "action": "order.approved",
           *         "resource": {
           *           "kind": "order",
           *           "id": "26",
           *           "name": "Bella",
           *           "parent": {
           *             "kind": "pet",
           *             "id": "7"
           *           }
           *         },
           *         "changes": []
           *       },
           *       {
           *         "id": 43,
           *         "at": "2026-11-20T09:31:00.000Z",
           *         "actor": {
           *           "kind": "person",
           *           "id": 2,
           *           "name": "Maria"
           *         },
           *         "action": "pet.changed",
           *         "resource": {
           *           "kind": "pet",
           *           "id": "7",
           *           "name": "Bella"
           *         },
           *         "changes": [
           *           {
           *             "field": "status",
           *             "from": "available",
           *             "to": "pending"
           *           }
           *         ]
           *       }
           *     ]
           */
          "application/json": components["schemas"]["AuditEntries"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listCategoryHistory: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Id of the category. */
        categoryId: number | bigint;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 43,
           *         "at": "2026-11-20T09:31:00.000Z",
           *         "actor": {
           *           "kind": "person",
           *           "id": 2,
           *           "name": "Maria"
           *         },
           *         "action": "category.added",
           *         "resource": {
           *           "kind": "category",
           *           "id": "3",
           *           "name": "Dogs"
           *         },
           *         "changes": []
           *       }
           *     ]
           */
          "application/json": components["schemas"]["AuditEntries"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listOrderHistory: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Id of the order. */
        orderId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 44,
           *         "at": "2026-11-20T09:32:00.000Z",
           *         "actor": {
           *           "kind": "key",
           *           "id": 3,
           *           "name": "front desk"
           *         },
           *         "action": "order.approved",
           *         "resource": {
           *           "kind": "order",
           *           "id": "26",
           *           "name": "Bella",
           *           "parent": {
           *             "kind": "pet",
           *             "id": "7"
           *           }
           *         },
           *         "changes": []
           *       }
           *     ]
           */
          "application/json": components["schemas"]["AuditEntries"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
}
