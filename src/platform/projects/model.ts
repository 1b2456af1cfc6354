import { type Static, t } from "elysia";
import { AnyText, Cursor, Id, Limit, OneOf, Text, Time, checked, storedText } from "../../http/schemas.ts";
import { PREVIEW_PREFIX } from "../../lib/preview.ts";
import { formatTime } from "../../lib/time.ts";
import { PLAN_NAMES } from "./plan.ts";
import type { Project as StoredProject } from "./repository.ts";
import { MAX_SLUG_LENGTH, RESERVED_SLUGS, SLUG_PATTERN } from "./slug.ts";

const ProjectName = Text("ProjectName", {
  max: 100,
  description: "The name of the project.",
  examples: ["Documentation"],
});

const Plan = OneOf("Plan", PLAN_NAMES, {
  $id: "Plan",
  description: "The plan of the project. Custom domains require `pro` or above.",
  examples: ["pro"],
});

const slug = {
  type: "string",
  minLength: 1,
  maxLength: MAX_SLUG_LENGTH,
  pattern: SLUG_PATTERN,
  description: "The project's DNS label in its default address.",
  examples: ["docs"],
};

const Slug = checked<string>("Slug", slug, "must be a string", (value) => typeof value === "string");

// Only the type is checked here: the service reports which rule a slug breaks.
const NewSlug = checked<string>(
  "NewSlug",
  { ...slug, not: { anyOf: [{ enum: [...RESERVED_SLUGS] }, { pattern: PREVIEW_PREFIX }] } },
  "must be a string",
  (value) => typeof value === "string",
);

export const NewProject = t.Object(
  { slug: NewSlug, name: ProjectName, plan: t.Optional(Plan) },
  {
    $id: "NewProject",
    additionalProperties: false,
    description: "A project to create. The default plan is `free`.",
  },
);

export const ProjectChange = t.Object(
  { name: t.Optional(ProjectName), plan: t.Optional(Plan) },
  {
    $id: "ProjectChange",
    additionalProperties: false,
    description: "The fields to change. Absent fields keep their value.",
  },
);

export const Project = t.Object(
  {
    slug: Slug,
    name: storedText(ProjectName),
    plan: Plan,
    target: t.String({
      description: "The value of the CNAME record of a custom domain. Each project has its own.",
      examples: ["k3vq7zj5n2xw4ryt6mbd.cname.example.org"],
    }),
    address: t.String({
      description: "The default address of the published project.",
      examples: ["http://docs.example.org/"],
    }),
    activeDeploy: t.Optional(
      Id("Id of the deploy that is served. Absent before the first successful deploy."),
    ),
    createdAt: Time("When the project was created.", "2026-11-20T09:30:00.000Z"),
  },
  { $id: "Project", description: "A documentation project." },
);

export const Projects = t.Array(Project, {
  $id: "Projects",
  maxItems: 100,
  description: "Projects in the order of their creation.",
});

export const ProjectQuery = t.Object(
  {
    q: t.Optional(
      AnyText("ProjectSearch", {
        max: 100,
        description: "Part of the slug or of the name. The case of the letters A to Z is ignored.",
        examples: ["handbook"],
      }),
    ),
    limit: Limit,
    cursor: t.Optional(Cursor),
  },
  { additionalProperties: false },
);

/** Where projects are published. */
export interface ProjectAddresses {
  /** The default address of a project: `http://docs.localhost:3000/`. */
  addressOf(slug: string): string;
  /** The CNAME target of a project's custom domains. */
  targetOf(targetLabel: string): string;
}

/** The JSON form of a project. */
export const fromProject = (
  { slug, name, plan, targetLabel, activeDeployId, createdAt }: StoredProject,
  { addressOf, targetOf }: ProjectAddresses,
): Static<typeof Project> => ({
  slug,
  name,
  plan,
  target: targetOf(targetLabel),
  address: addressOf(slug),
  ...(activeDeployId !== null && { activeDeploy: activeDeployId }),
  createdAt: formatTime(createdAt),
});
