import type { components } from "../../../client/types/platform.d.ts";

type Schemas = components["schemas"];

export type Project = Schemas["Project"];
export type NewProject = Schemas["NewProject"];
export type ProjectChange = Schemas["ProjectChange"];
export type Deploy = Schemas["Deploy"];
