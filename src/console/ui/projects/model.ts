import type { components } from "../../../client/types/platform.d.ts";

export type Project = components["schemas"]["Project"];
export type Deploy = components["schemas"]["Deploy"];
