import type { components } from "../api/platform.d.ts";

export type Project = components["schemas"]["Project"];
export type Deploy = components["schemas"]["Deploy"];
