export { ApiError } from "./api-error.ts";
export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { FieldProblem } from "./invalid-fields.ts";
export type { Int64 } from "./exact.ts";
export type { CallOptions, Operations } from "./operations.ts";
export type { Page } from "./pages.ts";
export type { EventOptions, PetEvent } from "./pet-events.ts";
export type {
  Category,
  CategoryChange,
  CategoryQuery,
  Field,
  FieldChange,
  NewCategory,
  Import,
  ImportQuery,
  ImportReport,
  ListedPet,
  NewField,
  NewOrder,
  NewPet,
  Order,
  OrderQuery,
  OrderReturn,
  Pet,
  PetChange,
  PetQuery,
  Photo,
  PhotoChange,
  Profile,
  ProfileChange,
  ProfileDocument,
  Statistics,
} from "./store.ts";
export type { Fetch, Reply, Retry } from "./transport.ts";
export type { components as PlatformComponents, paths as PlatformPaths } from "./types/platform.d.ts";
export type { components as StoreComponents, paths as StorePaths } from "./types/store.d.ts";
