import { ApiError } from "./api-error.ts";
import type { Int64 } from "./exact.ts";
import { type CallOptions, type Operations, type OperationsOptions, outgoing } from "./operations.ts";
import { pageOf, walk } from "./pages.ts";
import { type EventOptions, petEvents } from "./pet-events.ts";
import type { Reply, Transport } from "./transport.ts";
import type { components, operations, paths } from "./types/store.d.ts";

type Schemas = components["schemas"];
export type Pet = Schemas["Pet"];
export type NewPet = Schemas["NewPet"];
export type PetChange = Schemas["PetChange"];
export type Photo = Schemas["Photo"];
export type PhotoChange = Schemas["PhotoChange"];
export type Import = Schemas["Import"];
export type ImportReport = Schemas["ImportReport"];
export type Category = Schemas["Category"];
export type NewCategory = Schemas["NewCategory"];
export type CategoryChange = Schemas["CategoryChange"];
export type Profile = Schemas["Profile"];
export type ProfileDocument = Schemas["ProfileDocument"];
export type ProfileChange = Schemas["ProfileChange"];
export type Field = Schemas["Field"];
export type NewField = Schemas["NewField"];
export type FieldChange = Schemas["FieldChange"];
export type Order = Schemas["Order"];
export type NewOrder = Schemas["NewOrder"];
export type OrderReturn = Schemas["OrderReturn"];
export type Statistics = Schemas["Statistics"];
/** An animal with the parts that `include` asks for. */
export type ListedPet = Pet & { profile?: Profile; photos?: Photo[] };
type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;
export type PetQuery = QueryOf<"listPets">;
export type CategoryQuery = QueryOf<"listCategories">;
export type OrderQuery = QueryOf<"listOrders">;
export type ImportQuery = QueryOf<"importPets">;

/** The largest page: fewer requests for a walk. */
const PAGE = 100;

type Store = Operations<paths>;

/** A list, one page at a time or as one walk, in ascending order of id. */
const listOf = <Item, Query extends { cursor?: string }>(
  get: (query: Query, options: CallOptions) => Promise<Reply<Item[]>>,
) => {
  const list = (query = {} as Query, options: CallOptions = {}) => pageOf(get(query, options));
  return {
    /** One page. */
    list,
    /** All items that match. */
    iterate: (query = {} as Query, options?: CallOptions) =>
      walk((cursor) => list({ limit: PAGE, ...query, ...(cursor && { cursor }) }, options), query.cursor),
  };
};

const pets = (store: Store, open: (options: EventOptions) => ReturnType<typeof petEvents>) => {
  const all = listOf((query: PetQuery, options): Promise<Reply<ListedPet[]>> =>
    store.GET("/pets", { ...options, params: { query } }),
  );
  return {
    ...all,
    /** One animal. @throws ApiError `not_found` */
    async get(
      id: number,
      { include, ...options }: CallOptions & Pick<PetQuery, "include"> = {},
    ): Promise<ListedPet> {
      // GET /pets/{petId} is deprecated.
      const [pet] = (await all.list({ ids: String(id), ...(include && { include }) }, options)).items;
      if (!pet) throw new ApiError(404, "not_found", "There is no animal with this id.");
      return pet;
    },
    /** Adds one animal, even if the request is sent several times. */
    add: async (pet: NewPet, options: CallOptions = {}): Promise<Pet> =>
      (await store.POST("/pets", { ...options, body: pet })).data,
    /** Changes the given fields; a status of null removes it. */
    update: async (petId: number, change: PetChange, options: CallOptions = {}): Promise<Pet> =>
      (await store.PATCH("/pets/{petId}", { ...options, params: { path: { petId } }, body: change })).data,
    delete: async (petId: number, options: CallOptions = {}): Promise<void> => {
      await store.DELETE("/pets/{petId}", { ...options, params: { path: { petId } } });
    },
    /** Changes as they happen. It reconnects by itself. */
    events: (options: EventOptions = {}) => open(options),
  };
};

/** A photo may wait for its turn, and a file may have many rows. */
const FILE_TIMEOUT_MS = 10 * 60_000;

const photos = (store: Store) => ({
  /** All photos of an animal, in their order. */
  list: async (petId: number, options: CallOptions = {}): Promise<Photo[]> =>
    (await store.GET("/pets/{petId}/photos", { ...options, params: { path: { petId } } })).data,
  /** Adds one photo, even if the request is sent several times. */
  async add(
    petId: number,
    file: Blob,
    { alt, ...options }: CallOptions & { alt?: string } = {},
  ): Promise<Photo> {
    const headers = { ...options.headers, "content-type": "application/octet-stream" };
    const params = { path: { petId }, query: { ...(alt !== undefined && { alt }) } };
    const init = { timeoutMs: FILE_TIMEOUT_MS, ...options, headers, params, body: file };
    return (await store.POST("/pets/{petId}/photos", init)).data;
  },
  /** Describes or moves a photo. */
  async update(
    petId: number,
    photoId: number,
    change: PhotoChange,
    options: CallOptions = {},
  ): Promise<Photo> {
    const init = { ...options, params: { path: { petId, photoId } }, body: change };
    return (await store.PATCH("/pets/{petId}/photos/{photoId}", init)).data;
  },
  delete: async (petId: number, photoId: number, options: CallOptions = {}): Promise<void> => {
    await store.DELETE("/pets/{petId}/photos/{photoId}", {
      ...options,
      params: { path: { petId, photoId } },
    });
  },
});

const imports = (store: Store) => ({
  /** The last imports, the newest first. */
  list: async (options: CallOptions = {}): Promise<Import[]> => (await store.GET("/imports", options)).data,
  get: async (importId: number, options: CallOptions = {}): Promise<Import> =>
    (await store.GET("/imports/{importId}", { ...options, params: { path: { importId } } })).data,
  /** Imports a CSV file, or an NDJSON file whose type is `application/x-ndjson`; with `dryRun: "true"`, checks it. */
  async add(file: Blob, query: ImportQuery = {}, options: CallOptions = {}): Promise<ImportReport> {
    const type = file.type === "application/x-ndjson" ? file.type : "text/csv";
    const headers = { ...options.headers, "content-type": type };
    const init = { timeoutMs: FILE_TIMEOUT_MS, ...options, headers, params: { query }, body: file };
    return (await store.POST("/imports", init)).data;
  },
  undo: async (importId: number, options: CallOptions = {}): Promise<Schemas["UndoneImport"]> => {
    const init = { timeoutMs: FILE_TIMEOUT_MS, ...options, params: { path: { importId } } };
    return (await store.POST("/imports/{importId}/undo", init)).data;
  },
});

const categories = (store: Store) => ({
  ...listOf((query: CategoryQuery, options): Promise<Reply<Category[]>> =>
    store.GET("/categories", { ...options, params: { query } }),
  ),
  get: async (categoryId: Int64, options: CallOptions = {}): Promise<Category> =>
    (await store.GET("/categories/{categoryId}", { ...options, params: { path: { categoryId } } })).data,
  add: async (category: NewCategory, options: CallOptions = {}): Promise<Category> =>
    (await store.POST("/categories", { ...options, body: category })).data,
  async update(categoryId: Int64, change: CategoryChange, options: CallOptions = {}): Promise<Category> {
    const init = { ...options, params: { path: { categoryId } }, body: change };
    return (await store.PATCH("/categories/{categoryId}", init)).data;
  },
  delete: async (categoryId: Int64, options: CallOptions = {}): Promise<void> => {
    await store.DELETE("/categories/{categoryId}", { ...options, params: { path: { categoryId } } });
  },
});

const profile = (store: Store) => ({
  get: async (petId: number, options: CallOptions = {}): Promise<Profile> =>
    (await store.GET("/pets/{petId}/profile", { ...options, params: { path: { petId } } })).data,
  /** Replaces the profile: absent members are removed. */
  async replace(petId: number, whole: ProfileDocument, options: CallOptions = {}): Promise<Profile> {
    const init = { ...options, params: { path: { petId } }, body: whole };
    return (await store.PUT("/pets/{petId}/profile", init)).data;
  },
  /** Changes the given members; null removes one. */
  async update(petId: number, change: ProfileChange, options: CallOptions = {}): Promise<Profile> {
    const init = { ...options, params: { path: { petId } }, body: change };
    return (await store.PATCH("/pets/{petId}/profile", init)).data;
  },
});

const fields = (store: Store) => ({
  list: async (options: CallOptions = {}): Promise<Field[]> => (await store.GET("/fields", options)).data,
  add: async (field: NewField, options: CallOptions = {}): Promise<Field> =>
    (await store.POST("/fields", { ...options, body: field })).data,
  async update(fieldId: number, change: FieldChange, options: CallOptions = {}): Promise<Field> {
    const init = { ...options, params: { path: { fieldId } }, body: change };
    return (await store.PATCH("/fields/{fieldId}", init)).data;
  },
  /** Deletes the field and its values. @param confirm the number of animals that have one */
  delete: async (fieldId: number, confirm: number, options: CallOptions = {}): Promise<void> => {
    await store.DELETE("/fields/{fieldId}", {
      ...options,
      params: { path: { fieldId }, query: { confirm } },
    });
  },
});

const STEPS = {
  approve: "/store/orders/{orderId}/approve",
  complete: "/store/orders/{orderId}/complete",
  cancel: "/store/orders/{orderId}/cancel",
} as const;

const orders = (store: Store) => {
  const step =
    (name: keyof typeof STEPS) =>
    async (orderId: number, options: CallOptions = {}): Promise<Order> =>
      (await store.POST(STEPS[name], { ...options, params: { path: { orderId } } })).data;
  return {
    ...listOf((query: OrderQuery, options): Promise<Reply<Order[]>> =>
      store.GET("/store/orders", { ...options, params: { query } }),
    ),
    get: async (orderId: number, options: CallOptions = {}): Promise<Order> =>
      (await store.GET("/store/orders/{orderId}", { ...options, params: { path: { orderId } } })).data,
    /** Starts one adoption, even if the request is sent several times. */
    place: async (order: NewOrder, options: CallOptions = {}): Promise<Order> =>
      (await store.POST("/store/orders", { ...options, body: order })).data,
    approve: step("approve"),
    complete: step("complete"),
    cancel: step("cancel"),
    /** Ends a completed adoption, because the animal came back. */
    async return(orderId: number, body: OrderReturn, options: CallOptions = {}): Promise<Order> {
      const init = { ...options, params: { path: { orderId } }, body };
      return (await store.POST("/store/orders/{orderId}/return", init)).data;
    },
  };
};

/** The store, as methods. Errors are `ApiError`; an aborted signal throws its reason. */
export const storeMethods = (store: Store, transport: Transport, options: OperationsOptions) => {
  const openEvents = (events: EventOptions) =>
    petEvents((lastEventId, signal) => {
      const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      return transport.open(outgoing("GET", "/pets/events", { headers }, options), signal);
    }, events);
  return {
    pets: pets(store, openEvents),
    photos: photos(store),
    imports: imports(store),
    profile: profile(store),
    fields: fields(store),
    categories: categories(store),
    orders: orders(store),
    /** Counts of animals by status and by day. */
    statistics: async (options: CallOptions = {}): Promise<Statistics> =>
      (await store.GET("/statistics", options)).data,
  };
};
