// Written by `bun run console:types` from the store's OpenAPI document: nothing here is written by hand.

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
     * @description Ascending by id. While more follow, the `Link` header names the next page (`rel="next"`); follow it as it is. An animal without a status is in the list, but no status filter selects it. Needs the scope `pets:read`.
     */
    get: operations["listPets"];
    put?: never;
    /**
     * Add an animal
     * @description When the answer comes, the animal is on disk. Needs the scope `pets:write`.
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
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change an animal
     * @description A JSON merge patch (RFC 7396): what is absent stays, `status: null` removes the status. When the answer comes, the change is on disk. Needs the scope `pets:write`.
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
     * Follow what happens to animals
     * @description Server-sent events: `added`, `changed` and `deleted`, each with an id, and in `data` the animal as it is when the event is sent, or only its id if it has gone. The stream begins with what happens from now on, or right behind the event that `Last-Event-ID` names. If events are missing in between (the newest 1,000,000 are kept), `reset` comes first: list the animals anew. A comment comes every 15 seconds. An API key may have 10 streams at once, all together 100. Needs the scope `pets:read`.
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
     * @description How many animals there are, by status and by the day that they were added on. Whatever was added counts at once; all else is at most ten seconds old. Needs the scope `pets:read`.
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
      /** @description The animal's name: not only white space, no control characters. */
      name: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to.
       */
      categoryId: number;
      status?: components["schemas"]["PetStatus"];
    };
    /** @description Animals, ascending by id. */
    Pets: components["schemas"]["Pet"][];
    /** @description An animal to add. */
    NewPet: {
      /** @description The animal's name: not only white space, no control characters. */
      name: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to.
       */
      categoryId: number;
      status?: components["schemas"]["PetStatus"];
    };
    /** @description What changes; what is absent stays (RFC 7396). */
    PetChange: {
      /** @description The animal's name: not only white space, no control characters. */
      name?: string;
      /**
       * Format: int64
       * @description Id of the category the animal belongs to.
       */
      categoryId?: number;
      /**
       * @description Availability status; `null` removes it.
       * @enum {string|null}
       */
      status?: "available" | "pending" | "sold" | null;
    };
    /**
     * @description Availability status.
     * @enum {string}
     */
    PetStatus: "available" | "pending" | "sold";
    /** @description How many animals there are. */
    Statistics: {
      /** @description All animals. */
      total: number;
      /** @description Animals by their status. */
      byStatus: {
        /** @description Animals that can be adopted. */
        available: number;
        /** @description Animals whose adoption is under way. */
        pending: number;
        /** @description Animals that were adopted. */
        sold: number;
        /** @description Animals without a status. */
        none: number;
      };
      /** @description The last 30 days, oldest first; the last one is today. */
      addedByDay: {
        /**
         * Format: date
         * @description A day in UTC.
         */
        date: string;
        /** @description Animals added on this day. */
        count: number;
      }[];
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
        /** @description How many to return at the most. */
        limit?: number;
        /** @description Availability status. */
        status?: components["schemas"]["PetStatus"];
        /** @description Where to go on: take it, as it is, from the `Link` header of the page before. */
        cursor?: string;
      };
      header?: never;
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
        /** @description A key of your own, new for each act: sent again with the same request, in 24 hours, it is answered with the kept answer, and nothing is done twice (draft-ietf-httpapi-idempotency-key-header). */
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
      header?: never;
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
      header?: never;
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
      /** @description The animal as it is now. */
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
        /** @description The same, for clients that cannot send the header, which wins. */
        lastEventId?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The stream; it ends with the key, and when the server ends. */
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
          "text/event-stream": string;
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
}
