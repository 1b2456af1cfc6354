import { Elysia } from "elysia";
import { BETA } from "./headers.ts";

/** When `getPet` became deprecated, 5 December 2025, in Unix seconds. */
const DEPRECATED_SINCE = 1_764_892_800;
const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** The macros `deprecated` and `stability`, for routes that are not stable. */
export const stability = () =>
  new Elysia({ name: "versioning" })
    .macro("deprecated", ({ successor }: { successor: string }) => ({
      detail: { deprecated: true },
      transform({ set }) {
        set.headers["deprecation"] = `@${DEPRECATED_SINCE}`; // RFC 9745
        set.headers["sunset"] = SUNSET; // RFC 8594
        set.headers["link"] = `<${successor}>; rel="successor-version"`;
      },
    }))
    .macro("stability", (_level: "beta") => ({
      detail: { "x-stability": "beta" } as object,
      transform({ set }) {
        Object.assign(set.headers, BETA);
      },
    }));
