import { status } from "elysia";
import { type FileUpload, uploadOf } from "../../http/body.ts";
import { endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath } from "../../http/schemas.ts";
import { Fault, fieldFault } from "../../lib/errors.ts";
import type { WithoutIdleTimeout } from "../../lib/idle-timeout.ts";
import { StoreChanged } from "./change-queries.ts";
import { FileRefused } from "./columns.ts";
import * as model from "./model.ts";
import { AlreadyImported, type ImportResult } from "./import.ts";
import { addMapping, addValue, InvalidOption, optionsOf } from "./options.ts";
import { importReport, inApiWords } from "./report.ts";
import { CategoryGone, ConcurrentImport } from "./repository.ts";
import type { Imports } from "./service.ts";
import { UndoRefused } from "./undo-repository.ts";

/**
 * Writes an upload to a file, and calls `use` with its path.
 * @throws Fault rate_limited, payload_too_large, request_timeout, invalid_request, storage_unavailable
 */
export type ReceiveImport = <Result>(
  upload: FileUpload,
  use: (path: string) => Promise<Result>,
) => Promise<Result>;

export const MAX_IMPORT_BYTES = 25 * 2 ** 20;
const MAX_PREVIEW = 10;

const FORMATS = { "text/csv": "csv", "application/x-ndjson": "ndjson" } as const;
const TYPES = Object.keys(FORMATS);

const COUNTS = { read: 3, added: 1, updated: 1, unchanged: 0, rejected: 1, absent: 0 };
const TIMES = { startedAt: "2026-11-20T09:30:00.000Z", finishedAt: "2026-11-20T09:30:02.000Z" };
const IMPORT = { id: 4, file: "animals.csv", ...TIMES, ...COUNTS, canUndo: true };
const REASON = 'size: must be one of small, medium, large, extra_large, not "Toy"';

const REPORT = {
  id: 4,
  ...COUNTS,
  repeated: 0,
  blank: 0,
  columns: [
    { name: "Animal ID", field: "reference", samples: ["A-1", "A-2", "A-3"] },
    { name: "Animal Name", field: "name", samples: ["Bella", "Max", "Luna"] },
    { name: "Size", field: "size", samples: ["small", "Toy"] },
  ],
  createdCategories: [],
  createdFields: [],
  notes: ['guessed: "Animal Name" as name; choose others with map="COLUMN=FIELD"'],
  preview: [],
  rejectedRows: [{ line: 4, reason: REASON, cells: ["A-3", "Luna", "Toy"] }],
  unknownValues: [{ field: "size", value: "Toy", rows: 1 }],
  absentAnimals: [],
};

const { id: _id, ...DRY_RUN } = {
  ...REPORT,
  preview: [{ line: 3, id: 7, name: "Max", changes: [{ member: "size", from: "small", to: "medium" }] }],
};

const importId = IdInPath("Id of the import.");

/** @throws Fault unsupported_media_type */
const formatOf = ({ headers }: Request) => {
  const type = (headers.get("content-type") ?? "").replace(/\s*;.*/, "").toLowerCase();
  const isPlain = (headers.get("content-encoding") ?? "identity") === "identity";
  if (isPlain && Object.hasOwn(FORMATS, type)) return FORMATS[type as keyof typeof FORMATS];
  const accept = TYPES.join(", ");
  throw new Fault("unsupported_media_type", `The file must be sent as one of ${accept}, not compressed.`, {
    accept,
  });
};

const locationOf = ({ id }: ImportResult) => ({ location: `/v1/imports/${id}` });

/** @throws FileRefused */
const assertRows = (result: ImportResult): ImportResult => {
  if (result.id === undefined) throw new FileRefused("the file has no rows: add one below its header");
  return result;
};

/** In parts: in one piece, 25 MB would stop the event loop for 20 ms. */
const digestOf = async (path: string): Promise<string> => {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest("hex");
};

/** The values of a repeatable parameter. @throws Fault invalid_request; InvalidOption */
const valuesOf = <Value>(
  { url }: Request,
  field: "map" | "value",
  add: (text: string, before: readonly Value[]) => Value[],
): Value[] => {
  const texts = new URL(url).searchParams.getAll(field);
  const max = model.MAX_REPEATED;
  if (texts.length <= max) return texts.reduce<Value[]>((before, text) => add(text, before), []);
  const message = `${field}: may be given at most ${max} times`;
  throw fieldFault("invalid_request", { field, rule: "too_long", max }, message);
};

/** The fault for an error of the engine. */
const faultOf = (error: unknown): unknown => {
  if (error instanceof ConcurrentImport) return new Fault("import_running");
  if (!(error instanceof Error)) return error;
  const message = inApiWords(error.message);
  const [field = ""] = /^\w+/.exec(message) ?? [];
  if (error instanceof InvalidOption)
    return fieldFault("invalid_request", { field, rule: "format" }, message);
  if (error instanceof UndoRefused) return new Fault("undo_refused", message);
  if (error instanceof AlreadyImported) return new Fault("already_imported", message);
  const isRefused = [FileRefused, CategoryGone, StoreChanged].some((kind) => error instanceof kind);
  return isRefused ? new Fault("import_refused", message) : error;
};

/** @throws Fault */
const withFaults = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
};

/** @throws Fault unsupported_media_type, invalid_request */
const requestOf = (query: model.ImportQuery, request: Request) => ({
  ...optionsOf({
    ...query,
    map: valuesOf(request, "map", addMapping),
    value: valuesOf(request, "value", addValue),
  }),
  name: query.name ?? "the uploaded file",
  rejected: undefined,
  format: formatOf(request),
});

interface ImportEndpointOptions {
  imports: Imports;
  receive: ReceiveImport;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** Imports of animals, under `/v1/imports`. */
export const importEndpoints = ({ imports, receive, macros, withoutIdleTimeout }: ImportEndpointOptions) => {
  const { add, app } = endpoints({ macros, tag: "imports", scope: "pets:read" });

  /** @throws Fault not_found */
  const find = (id: number) => {
    const found = imports.find(id);
    if (!found) throw new Fault("not_found", "There is no import with this id.");
    return found;
  };

  add("GET /v1/imports", {
    id: "listImports",
    summary: "List imports",
    description: "Returns the last 100 imports, the newest first, also those of the command line.",
    returns: [model.Imports, "The imports.", [IMPORT]],
    run: () => imports.recent(model.MAX_IMPORTS).map(model.fromImport),
  });
  add("GET /v1/imports/:importId", {
    id: "getImport",
    summary: "Fetch one import",
    description: "Returns the counts of an import. While it runs, these are the counts so far.",
    params: { importId },
    returns: [model.Import, "The import.", IMPORT],
    run: ({ params }) => model.fromImport(find(params.importId)),
  });
  add("POST /v1/imports", {
    id: "importPets",
    scope: "pets:write",
    summary: "Import a file of animals",
    description:
      "Adds or updates the animals of a CSV or NDJSON file of at most 25 MB, as the command `import` does. Send the file itself, with the Content-Type of its format. Each row adds an animal, changes one, or is rejected. The report has the rejected rows. With `dryRun`, the report shows the changes that the import would make.\n\nThe server imports one file at a time, and others wait. It refuses a file that was imported before. After an interruption, send the same file again to continue. An import can be undone for 30 days.",
    query: model.ImportQuery,
    uploads: TYPES,
    status: 201,
    returns: [model.ImportReport, "The file is imported.", REPORT],
    idempotent: true,
    response: { headers: ["Location"] },
    alsoReturns: { 200: { description: "A dry run. Nothing was written.", example: DRY_RUN } },
    faults: ["import_refused", "already_imported", "import_running"],
    run: ({ query, request, caller, once }) =>
      withFaults(() => {
        const options = requestOf(query, request);
        const report = importReport();
        const run = {
          actor: caller,
          reporter: report.reporter,
          isStopped: () => options.isDry && request.signal.aborted,
          sharesThread: true,
          maxPreview: MAX_PREVIEW,
        };
        const response = { status: 201, body: report.of, headers: locationOf } as const;
        return withoutIdleTimeout(request, () =>
          receive(uploadOf(request, caller), async (path) => {
            const file = { ...options, path };
            if (options.isDry) return status(200, report.of(await imports.importFile(file, run)));
            return once({ ...response, content: await digestOf(path) }, (keep) =>
              imports.importFile(file, { ...run, keep }).then(assertRows),
            );
          }),
        );
      }),
  });
  add("POST /v1/imports/:importId/undo", {
    id: "undoImport",
    scope: "pets:write",
    summary: "Undo an import",
    description:
      "Deletes the animals that the import added, and restores those that it changed or deleted. If an animal has changed since, nothing is undone, and the error names that animal. An undo that was interrupted, or stopped because an animal changed meanwhile, continues when it is called again.",
    params: { importId },
    idempotent: true,
    returns: [model.Undone, "The import is undone.", { id: 4, deleted: 1, restored: 1, readded: [] }],
    faults: ["undo_refused", "import_running"],
    run: ({ params, request, caller, once }) =>
      withFaults(() => {
        const { id } = find(params.importId);
        return withoutIdleTimeout(request, () =>
          once({ status: 200, body: model.fromUndone }, (keep) =>
            imports.undo(id, { actor: caller, sharesThread: true, keep }),
          ),
        );
      }),
  });
  return app;
};
