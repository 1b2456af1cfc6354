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
     * @description In ascending order of id. While more pages follow, the `Link` header gives the address of the next one (`rel="next"`): use it unchanged. Animals without a status are listed, but no status filter selects them. Needs the scope `pets:read`.
     */
    get: operations["listPets"];
    put?: never;
    /**
     * Add an animal
     * @description The animal is on disk before the response is sent. Needs the scope `pets:write`.
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
     * @description Deprecated: it will be removed on 5 December 2030. Use `GET /pets` with the status filter instead. Needs the scope `pets:read`.
     */
    get: operations["getPet"];
    put?: never;
    post?: never;
    /**
     * Delete an animal
     * @description The deletion is on disk before the response is sent, and the id is never used again. An animal that an open order holds cannot be deleted. Needs the scope `pets:write`.
     */
    delete: operations["deletePet"];
    options?: never;
    head?: never;
    /**
     * Change an animal
     * @description A JSON merge patch (RFC 7396): absent fields keep their value, and `status: null` removes the status. While an open order holds the animal, only the order changes its status. The change is on disk before the response is sent. Needs the scope `pets:write`.
     */
    patch: operations["changePet"];
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
     * @description Server-sent events: `added`, `changed` and `deleted`. Each has an id, and its `data` is the animal as it is when the event is sent, or only the animal's id if it has been deleted. The stream starts with the next change, or after the event that `Last-Event-ID` names. If events after that one are missing, the first event is `reset`: list the animals again. The newest 1,000,000 events are kept, but none of them when a backup is restored. A comment is sent every 15 seconds. An API key may have 10 open streams, and all keys together 100. Needs the scope `pets:read`.
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
  "/statistics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count the animals
     * @description The number of animals by status and by the day on which they were added. New animals count at once; everything else is at most ten seconds old. Needs the scope `pets:read`.
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
     * @description In ascending order of id. While more pages follow, the `Link` header gives the address of the next one. Needs the scope `pets:read`.
     */
    get: operations["listCategories"];
    put?: never;
    /**
     * Add a category
     * @description Names are unique. Case, compatible forms of a letter (NFKC) and the amount of white space make no difference. The category is on disk before the response is sent. Needs the scope `pets:write`.
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
     * @description Animals may refer to an id that no category has. Needs the scope `pets:read`.
     */
    get: operations["getCategory"];
    put?: never;
    post?: never;
    /**
     * Delete a category
     * @description The category must have no animals. Its id is never used again. Needs the scope `pets:write`.
     */
    delete: operations["deleteCategory"];
    options?: never;
    head?: never;
    /**
     * Rename a category
     * @description A JSON merge patch (RFC 7396). The animals of the category stay in it. Needs the scope `pets:write`.
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
     * @description In ascending order of id. While more pages follow, the `Link` header gives the address of the next one. Needs the scope `orders:read`.
     */
    get: operations["listOrders"];
    put?: never;
    /**
     * Start an adoption
     * @description The animal must be `available` and becomes `pending` in the same atomic step: of concurrent orders for one animal, one succeeds. Both are on disk before the response is sent. Needs the scope `orders:write`.
     */
    post: operations["placeOrder"];
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
     * @description With its adopter, unless the adopter's data has been erased. Needs the scope `orders:read`.
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
     * @description The adoption must be `placed`. The animal stays `pending`. The response contains adopter and note if the key has the scope `orders:read`. Needs the scope `orders:write`.
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
     * @description The adoption must be `approved`. The animal becomes `sold` in the same atomic step. The response contains adopter and note if the key has the scope `orders:read`. Needs the scope `orders:write`.
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
     * @description The adoption must be `placed` or `approved`. An animal that is `pending` becomes `available` in the same atomic step. The response contains adopter and note if the key has the scope `orders:read`. Needs the scope `orders:write`.
     */
    post: operations["cancelOrder"];
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
    /** @description An animal offered for adoption. */
    Pet: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service on creation.
       */
      id: number;
      /** @description The animal's name: more than white space, without control characters. */
      name: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to. JavaScript clients lose digits beyond 2^53 unless they parse it as a BigInt.
       */
      categoryId: number | bigint;
      status?: components["schemas"]["PetStatus"];
    };
    /**
     * @description Availability status.
     * @enum {string}
     */
    PetStatus: "available" | "pending" | "sold";
    /** @description Animals, ascending by id. */
    Pets: components["schemas"]["Pet"][];
    /** @description An animal to add. */
    NewPet: {
      /** @description The animal's name: more than white space, without control characters. */
      name: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to. JavaScript clients lose digits beyond 2^53 unless they parse it as a BigInt.
       */
      categoryId: number | bigint;
      status?: components["schemas"]["PetStatus"];
    };
    /** @description The fields to change. Absent fields keep their value (RFC 7396). */
    PetChange: {
      /** @description The animal's name: more than white space, without control characters. */
      name?: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to. JavaScript clients lose digits beyond 2^53 unless they parse it as a BigInt.
       */
      categoryId?: number | bigint;
      /** @description Availability status; `null` clears it. */
      status?: components["schemas"]["PetStatus"] | null;
    };
    /** @description How many animals there are. */
    Statistics: {
      /** @description All animals. */
      total: number;
      byStatus: components["schemas"]["StatusCounts"];
      /** @description The last 30 days, oldest first; the last one is today. */
      addedByDay: components["schemas"]["AddedOnDay"][];
    };
    /** @description Animals by their status. */
    StatusCounts: {
      /** @description Animals that can be adopted. */
      available: number;
      /** @description Animals with an adoption in progress. */
      pending: number;
      /** @description Animals that were adopted. */
      sold: number;
      /** @description Animals without a status. */
      none: number;
    };
    /** @description How many animals were added on a day. */
    AddedOnDay: {
      /**
       * Format: date
       * @description A day in UTC.
       */
      date: string;
      /** @description Animals added on this day. */
      count: number;
    };
    /** @description Every error has this form. */
    Error: {
      /** @description Machine-readable error code. */
      code: string;
      /** @description Human-readable description. */
      message: string;
      /** @description The HTTP status code of the response. */
      status: number;
    };
    /** @description A category to add. */
    NewCategory: {
      /** @description The name of the category. Names are unique, whatever their case and spacing. */
      name: string;
    };
    /** @description The fields to change. Absent fields keep their value (RFC 7396). */
    CategoryChange: {
      /** @description The name of the category. Names are unique, whatever their case and spacing. */
      name?: string;
    };
    /** @description A category of animals. */
    Category: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service. Animals refer to it.
       */
      id: number;
      /** @description The name of the category. Names are unique, whatever their case and spacing. */
      name: string;
    };
    /** @description Categories, ascending by id. */
    Categories: components["schemas"]["Category"][];
    /** @description An adoption to start. */
    NewOrder: {
      /**
       * Format: int64
       * @description Id of the animal.
       */
      petId: number;
      adopter: components["schemas"]["NewAdopter"];
      /** @description A note about this adoption. */
      note?: string;
    };
    /** @description The person who wants to adopt the animal. */
    NewAdopter: {
      /** @description The adopter's name. */
      name: string;
      /** @description The adopter's email address. */
      email: string;
    };
    /** @description An adoption. Only keys with the scope `orders:read` see `adopter` and `note`. Both are absent once the adopter's data has been erased. */
    Order: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service.
       */
      id: number;
      /**
       * Format: int64
       * @description Id of the animal. The animal may have been deleted once the order is no longer open.
       */
      petId: number;
      adopter?: components["schemas"]["Adopter"];
      /** @description A note about this adoption. */
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
      /** @description The adopter's name. */
      name: string;
      /** @description The adopter's email address. */
      email: string;
    };
    /**
     * @description The progress of the adoption.
     * @enum {string}
     */
    OrderStatus: "placed" | "approved" | "completed" | "cancelled";
    /** @description Adoptions, ascending by id. */
    Orders: components["schemas"]["Order"][];
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
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description Availability status. */
        status?: components["schemas"]["PetStatus"];
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
        cursor?: string;
        /** @description Only animals of this category. */
        categoryId?: number | bigint;
        /** @description One to eight words. Only animals whose name has, for each of them, a word that begins with it. Case and accents are ignored. */
        q?: string;
        /** @description Only animals with these ids: 1 to 100, separated by commas. Ids that no animal has are ignored. */
        ids?: string;
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
      /** @description The client already has the current representation. */
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
        /** @description A key that you choose, a new one for each action, in double quotes. The response is stored for 24 hours: a retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, others get 409 (draft-ietf-httpapi-idempotency-key-header). The quotes may be omitted if the key has no space, comma or quote. */
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
      /** @description The client already has the current representation. */
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
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes and the response is 412. */
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
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes and the response is 412. */
        "If-Match"?: string;
      };
      path: {
        /** @description Id of the animal to retrieve. */
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
  streamPets: {
    parameters: {
      query?: {
        /** @description The same as `Last-Event-ID`, for clients that cannot send that header. The header takes precedence. */
        lastEventId?: string;
      };
      header?: {
        /** @description The id of the last event that the client has read: the stream resumes after it. */
        "Last-Event-ID"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The stream. It ends when the key expires or is revoked, and when the server stops. */
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
  getStatistics: {
    parameters: {
      query?: never;
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
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
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
        /** @description A key that you choose, a new one for each action, in double quotes. The response is stored for 24 hours: a retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, others get 409 (draft-ietf-httpapi-idempotency-key-header). The quotes may be omitted if the key has no space, comma or quote. */
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
      /** @description The client already has the current representation. */
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
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes and the response is 412. */
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
        /** @description Entity tags, or `*`. If none of them is the current `ETag`, nothing changes and the response is 412. */
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
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description The progress of the adoption. */
        status?: components["schemas"]["OrderStatus"];
        /** @description Only orders of this animal. */
        petId?: number;
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
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
        /** @description A key that you choose, a new one for each action, in double quotes. The response is stored for 24 hours: a retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, others get 409 (draft-ietf-httpapi-idempotency-key-header). The quotes may be omitted if the key has no space, comma or quote. */
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
        /** @description A key that you choose, a new one for each action, in double quotes. The response is stored for 24 hours: a retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, others get 409 (draft-ietf-httpapi-idempotency-key-header). The quotes may be omitted if the key has no space, comma or quote. */
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
        /** @description A key that you choose, a new one for each action, in double quotes. The response is stored for 24 hours: a retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, others get 409 (draft-ietf-httpapi-idempotency-key-header). The quotes may be omitted if the key has no space, comma or quote. */
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
        /** @description A key that you choose, a new one for each action, in double quotes. The response is stored for 24 hours: a retry with the same key gets it again, and nothing is done twice. A different request with the same key gets 422. While the first request is in progress, others get 409 (draft-ietf-httpapi-idempotency-key-header). The quotes may be omitted if the key has no space, comma or quote. */
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
}
